"""Scripts in interpreters of their own that begin with Brian2 and matplotlib imported, which takes two seconds else.

A server process imports them and does nothing more. Each script runs in a fork of it, with a working folder, an
environment, output and an exit code of its own. What the interpreter does after a script's last line is left out: it
takes longer than most scripts, and the files that Brian2 would take away are the server's.
"""

import gc
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What the server imports; what a script forgets to import is missing in it all the same.
IMPORTED = (
    "matplotlib.pyplot",
    "nsa_brian",
    "nsa_brian.engines.rounds",
    "evolution",
    "experiments.core.play",
    "pandas",
    "Cython.Compiler.Optimize",  # what compiles a script's first model imports these, in more than a second
    "Cython.Compiler.Pipeline",
)


class Scripts:
    """Runs Python text or files, one after the other."""

    def __init__(self):
        self._server = None

    def __call__(self, script, cwd, **environment):
        """Run a text, or a file if it is a path, to its end."""
        with tempfile.TemporaryDirectory() as folder:
            path = script if isinstance(script, Path) else Path(folder, "script.py")
            if path is not script:
                path.write_text(script, "utf-8")
            out, err = Path(folder, "out"), Path(folder, "err")
            if hasattr(os, "fork"):
                code = self._ask(path=str(path), cwd=str(cwd), environment=environment, out=str(out), err=str(err))
            else:
                with out.open("wb") as stdout, err.open("wb") as stderr:
                    given = {"cwd": cwd, "env": {**os.environ, **environment}}
                    code = subprocess.run([sys.executable, path], stdout=stdout, stderr=stderr, **given).returncode
            return subprocess.CompletedProcess([str(path)], code, out.read_text("utf-8"), err.read_text("utf-8"))

    def _ask(self, **job):
        if self._server is None:
            paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
            self._server = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        return int(self._server.stdout.readline())

    def close(self):
        """End the server."""
        if self._server is not None:
            self._server.communicate()


def next_job():
    """What a fork is to do; the server itself stays here to wait for its forks, until nobody asks any more."""
    while line := sys.stdin.readline():
        fork = os.fork()
        if not fork:
            return json.loads(line)
        print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)
    return None


if __name__ == "__main__":
    for name in IMPORTED:
        __import__(name)
    gc.freeze()  # or a fork that looks for garbage would copy all that was imported
    job = next_job()
    if job is not None:
        for stream, target in ((0, os.devnull), (1, job["out"]), (2, job["err"])):
            os.dup2(os.open(target, os.O_RDWR | os.O_CREAT), stream)
        os.chdir(job["cwd"])
        os.environ.update(job["environment"])
        sys.argv = [job["path"]]
        sys.path[0] = str(Path(job["path"]).parent)
        code = 1
        try:
            runpy.run_path(job["path"], run_name="__main__")
            code = 0
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
