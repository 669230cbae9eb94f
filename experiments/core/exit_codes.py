"""Exit codes of ``nsa`` beside 0 (done), 1 (done, and the answer is no) and 2 (refused, or hindered by the system)."""

import signal

#: Ctrl-C; and nobody reads our output any more, as in ``nsa table | head -1``: what a shell says of other programs too.
STOPPED, UNREAD = 128 + signal.SIGINT, 128 + signal.SIGPIPE
