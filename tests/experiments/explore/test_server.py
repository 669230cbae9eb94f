"""The server of nsa explore: loopback, a token, no other hosts and origins; the command around it."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest

from experiments import cli
from experiments.explore.answers import Answers
from experiments.explore.catalogue import Catalogue
from experiments.explore.command import files_of, resource
from experiments.explore.server import MOST_BYTES, Server

TOKEN = "the-token"


@pytest.fixture(scope="module")
def server():
    answers = Answers(Catalogue.of())
    server = Server(files_of(answers, TOKEN), TOKEN)
    server.listen()
    ended = threading.Event()

    def serve():
        while not ended.is_set():
            server.answer(answers.answer, 0.05)

    thread = threading.Thread(target=serve)
    thread.start()
    yield server
    ended.set()
    thread.join()
    server.stop()


def asked(server, method="GET", path=f"/?token={TOKEN}", body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    found = answer.status, answer.read(), answer.headers
    connection.close()
    return found


def test_the_page_needs_nothing_from_elsewhere(server):
    status, body, headers = asked(server)
    page = body.decode()
    assert (status, headers.get_content_type()) == (200, "text/html")
    linked = re.findall(r"""(?:src|href)=["']([^"']*)""", page)
    assert sorted(linked) == sorted(["data:,", f"explore.css?token={TOKEN}", f"explore.js?token={TOKEN}"])
    for text in (resource("explore.js"), resource("explore.css")):
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
        assert "import " not in re.sub(r"//.*", "", text)
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_texts_of_models_cannot_end_the_data_of_the_page(server):
    page = asked(server)[1].decode()
    data = page.partition('id="start">')[2].partition("</script>")[0]
    assert "<" not in data
    assert json.loads(data)["view"]["model"] == "paper"


def test_a_question_is_answered(server):
    body = json.dumps({"ask": "curves", "view": {"arms": 3}})
    status, found, _ = asked(server, "POST", "/ask", body, X_Token=TOKEN)
    assert status == 200
    assert json.loads(found)["critical"] > 0
    status, found, _ = asked(server, "POST", "/ask", '{"ask": "curves", "view": {"arms": 0}}', X_Token=TOKEN)
    assert (status, json.loads(found)["field"]) == (200, "arms")


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/explore.js", "/explore.css?token=x", "/ask"])
def test_without_the_token_nothing_is_served(server, path):
    for method in ("GET", "POST"):
        status, body, _ = asked(server, method, path, "{}" if method == "POST" else None)
        assert status == 403
        assert TOKEN.encode() not in body


@pytest.mark.parametrize("host", ["example.org", "example.org:{}", "127.0.0.1", "127.0.0.1:1", "[::1]:{}", ""])
def test_other_hosts_are_refused(server, host):
    """A page whose name resolves to loopback must not read ours."""
    assert asked(server, Host=host.format(server.server_port))[0] == 403


@pytest.mark.parametrize("origin", ["http://example.org", "null", "http://127.0.0.1:1", "https://127.0.0.1:{}"])
def test_other_origins_are_refused(server, origin):
    given = {"Origin": origin.format(server.server_port), "X_Token": TOKEN}
    assert asked(server, "POST", "/ask", "{}", **given)[0] == 403


def test_other_sites_are_refused_and_the_page_itself_is_not(server):
    for site, status in {"cross-site": 403, "same-site": 403, "same-origin": 200, "none": 200}.items():
        assert asked(server, Sec_Fetch_Site=site)[0] == status
    own = f"http://127.0.0.1:{server.server_port}"
    assert asked(server, "POST", "/ask", "{}", Origin=own, X_Token=TOKEN)[0] == 200


def test_bad_requests_are_answered_in_a_line(server):
    for body, status in (("not json", 400), (b"\xff\xfe", 400), ("{" * 5000, 400), ("", 400)):
        found, text, _ = asked(server, "POST", "/ask", body, X_Token=TOKEN)
        assert found == status
        assert text.count(b"\n") == 1
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest("POST", "/ask")
    connection.putheader("X-Token", TOKEN)
    connection.putheader("Content-Length", str(MOST_BYTES + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413
    assert asked(server, "GET", f"/nothing?token={TOKEN}")[0] == 404
    assert asked(server, "GET", f"/../pyproject.toml?token={TOKEN}")[0] == 404
    assert asked(server, "PUT", f"/?token={TOKEN}")[0] == 501


def test_it_listens_on_loopback_only(server):
    assert server.server_address[0] == "127.0.0.1"


def test_ctrl_c_ends_the_command_with_one_line(tmp_path):
    words = [sys.executable, "-m", "experiments", "explore", "--no-browser", "--arms", "3"]
    command = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = command.stdout.readline()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{20,})\n", address)
    assert found, address
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
    connection.request("GET", f"/?token={found[2]}")
    assert '"arms": 3' in connection.getresponse().read().decode()
    command.send_signal(signal.SIGINT)
    _, errors = command.communicate(timeout=60)
    assert command.returncode == 130
    assert errors.splitlines()[-1] == "stopped"
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "nothing"], "no model 'nothing'"),
        (["--parameters", "nothing"], "no parameter set"),
        (["--arms", "1"], "arms must be"),
        (["--arms", "x"], "invalid int"),
        (["--env", "nothing"], "env must be one of MAB-P"),
        (["--port", "70000"], "--port must be at most 65535"),
        (["--view", "arms=0"], "arms must be"),
        (["--view", "no-such-file.json"], "no-such-file.json"),
    ],
)
def test_bad_options_are_answered_in_a_line(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["explore", "--no-browser", *words])
    errors = capsys.readouterr().err
    assert ended.value.code == 2
    assert said in errors
    assert len(errors.splitlines()) == 1


def test_a_port_in_use_is_an_error_in_a_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SystemExit) as ended:
            cli.main(["explore", "--no-browser", "--port", str(taken.getsockname()[1])])
    assert ended.value.code == 2
    assert "cannot listen on 127.0.0.1" in capsys.readouterr().err
