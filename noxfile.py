"""Sessions for nox: `nox -s tests`, `nox -s smoke`, `nox -s docs`, `nox -s lint`; `nox --list` shows them all."""

import nox

PYTHONS = ["3.11", "3.12", "3.13"]
nox.options.sessions = ["lint", "tests"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session):
    """All tests but the slow ones; `nox -s tests -- -m slow` runs those."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS)
def smoke(session):
    """What must work on every Python: import, play, engines that agree, one model compiled."""
    session.install(".", "pytest>=8", "pytest-xdist>=3.7")
    session.run("pytest", "-n", "0", "tests/test_smoke.py", *session.posargs)


@nox.session
def docs(session):
    """The documentation, warnings being errors, into `site/`."""
    session.install(".[docs]")
    session.run("python", "-m", "sphinx", "-W", "-b", "html", "docs", "site", *session.posargs)
    session.run("python", "docs/links.py", "site")


@nox.session
def lint(session):
    """Style and types."""
    session.install(".[test]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
