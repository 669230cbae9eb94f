"""``nsa bench``: benchmark of the engines and policies."""
