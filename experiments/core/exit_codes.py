"""Exit codes of ``nsa`` besides 0 (success), 1 (negative result) and 2 (user or system error)."""

#: Ctrl-C (128 + SIGINT), and a closed pipe as in ``nsa table | head -1`` (128 + SIGPIPE), as in shells.
STOPPED, UNREAD = 130, 141
