"""``nsa report``: all studies on one page."""
