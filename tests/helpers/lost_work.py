"""Work for other processes, some of which ends them; in a module that they can import."""

import os
import signal
import time


def once(path, value):
    """Killed the first time, as when memory runs out."""
    if not os.path.exists(path):
        open(path, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def always(_):
    os.kill(os.getpid(), signal.SIGKILL)


def double(x):
    time.sleep(0.05)
    return 2 * x
