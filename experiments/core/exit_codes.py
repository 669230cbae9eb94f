"""Exit codes of ``nsa`` beside 0 (done), 1 (done, and the answer is no) and 2 (refused, or hindered by the system)."""

#: Ctrl-C (128 + SIGINT), and a closed pipe as in ``nsa table | head -1`` (128 + SIGPIPE), as shells report them.
STOPPED, UNREAD = 130, 141
