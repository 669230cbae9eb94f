"""``nsa bench``: how fast the engines and the policies are."""
