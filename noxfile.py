#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.10.14"]
# ///
"""Sessions for nox: `nox` checks style and runs the tests, `nox -s docs` builds the documentation, `nox --list`."""

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_missing_interpreters = False

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@nox.session(python=PYTHONS)
def tests(session):
    """All tests but the slow ones; `nox -s tests -- -m slow` runs those."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS, default=False)
def smoke(session):
    """What must work on every Python: import, play, engines that agree, one model compiled."""
    session.install(".", "pytest>=8", "pytest-xdist>=3.7")
    session.run("pytest", "-n", "0", "tests/test_smoke.py", *session.posargs)


@nox.session(default=False)
def coverage(session):
    """The tests' coverage of lines and branches; `nox -s coverage -- tests/envs` that of some tests."""
    session.install("-e", ".[test]")
    session.run("pytest", "--cov", "--cov-report=term:skip-covered", "--cov-report=xml", *session.posargs)


@nox.session(default=False)
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


if __name__ == "__main__":
    nox.main()
