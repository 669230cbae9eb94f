"""A headless Chromium driven through chromedriver: the WebDriver protocol is JSON over HTTP."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
#: Why tests in a browser are skipped; empty if they run.
MISSING = "" if CHROMIUM and DRIVER else "no Chromium with its chromedriver on this machine"

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
#: Keys by WebDriver's code points.
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Space": " ", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014"}
KEYS |= {"Down": "\ue015", "Home": "\ue011", "End": "\ue010", "Delete": "\ue017"}
_CONTROL, _ELEMENT = "\ue009", "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A window of so many pixels, light or dark; use it in a ``with`` statement."""

    def __init__(self, folder, width=1400, height=1000, dark=False, downloads=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._root = f"http://127.0.0.1:{port}"
        self._driver = subprocess.Popen(
            [DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        flags = [*FLAGS, f"--user-data-dir={folder}", f"--window-size={width},{height}"]
        flags += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
        prefs = {"download.default_directory": str(downloads)} if downloads else {}
        options = {"binary": CHROMIUM, "args": flags, "prefs": prefs}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        wanted = {"capabilities": {"alwaysMatch": capabilities}}
        for _ in range(100):
            try:
                found = self._call("POST", "/session", wanted)
                break
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.1)
        self._session = f"/session/{found['sessionId']}"
        self.width = width
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self._call("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(10)

    def _call(self, method, path, content=None):
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self._root + path, body, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def cdp(self, command, **given):
        """Send a command of Chromium's own protocol."""
        return self._call("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": given})

    def open(self, address):
        self._call("POST", f"{self._session}/url", {"url": address})

    def run(self, script, *given):
        """Run JavaScript, the body of a function, and return its value."""
        return self._call("POST", f"{self._session}/execute/sync", {"script": script, "args": list(given)})

    def wait(self, condition, *given, seconds=60):
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"return {condition}", *given)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"never true: {condition}")

    def element(self, selector):
        found = self._call("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return found[_ELEMENT]

    def click(self, selector):
        """Click an element, scrolled to the middle of the window, as a reader would have it."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self._call("POST", f"{self._session}/element/{self.element(selector)}/click", {})

    def press(self, *keys, control=False):
        """Press keys, one after the other, wherever the focus is."""
        actions = [{"type": "keyDown", "value": _CONTROL}] if control else []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        actions += [{"type": "keyUp", "value": _CONTROL}] if control else []
        self._call("POST", f"{self._session}/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def upload(self, selector, path):
        self._call("POST", f"{self._session}/element/{self.element(selector)}/value", {"text": str(path)})

    def errors(self):
        """Return the errors and warnings of the console."""
        entries = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path, whole=True):
        """Save a screenshot, of the whole page or of the window."""
        found = self.cdp("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(found["data"]))
