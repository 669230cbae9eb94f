"""What Windows lacks: modules and functions that only POSIX systems have."""

import os
import subprocess
import sys

import pytest
from selection import mostly_slow

#: Modules of the standard library, functions of ``os`` and names of ``signal`` that there are not on Windows.
MODULES = ["fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"]
FUNCTIONS = ["fork", "getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg", "mkfifo", "setsid", "sysconf"]
SIGNALS = ["SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "pthread_kill", "setitimer"]

BLOCKED = f"""
import os, signal, sys
# Both have a part for Windows and one for Linux, which is loaded here and needs fcntl and resource.
import brian2.utils.filelock, psutil
sys.modules.update(dict.fromkeys({MODULES}))
for module, names in ((os, {FUNCTIONS}), (signal, {SIGNALS})):
    for name in names:
        vars(module).pop(name, None)
from experiments.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("agents", mostly_slow(["random", "nsa,random"], "random"))
def test_play_needs_no_posix_module(agents, tmp_path):
    words = ["play", "--trials", "1", "--rounds", "50", "--repetitions", "1", "--agents", agents]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    played = subprocess.run(
        [sys.executable, "-c", BLOCKED, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert played.returncode == 0, played.stderr
    assert list((tmp_path / "nsa-results").glob("*.npz"))
