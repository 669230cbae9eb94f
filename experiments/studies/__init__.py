"""The experiments, one folder each: ``study.py`` defines settings and summary, ``figure.py`` the figure."""
