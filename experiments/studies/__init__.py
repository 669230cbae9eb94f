"""The experiments, a folder each: ``study.py`` says what is played and what comes of it, ``figure.py`` draws it."""
