"""``nsa explore``: a page, and a widget for notebooks, that shows what a model does as its parameters change."""
