"""``nsa explore``: sliders for a model's parameters and what follows from them, live in the browser."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import webbrowser
from importlib import resources
from pathlib import Path
from typing import Any

from experiments.core.command import Command
from experiments.core.errors import UserError, blame_user
from experiments.core.named import read_set, set_of
from experiments.core.nsa_agents import MODEL_HELP
from experiments.core.page import render
from experiments.explore.answers import Answers
from experiments.explore.catalogue import Catalogue
from experiments.explore.server import LOOPBACK, Server
from experiments.explore.view import MOST_ARMS, View
from nsa_brian import DEFAULT_SET
from nsa_brian.common.checks import check_whole
from nsa_brian.common.user_files import read_text
from nsa_brian.errors import printable
from nsa_brian.model.loading import ALIASES

EPILOG = """examples:
  nsa explore
  nsa explore --model my.py --arms 5 --env MAB-D
  nsa explore --parameters minbandit-38,search/,best.json
  nsa explore --view view.json

Sliders set the parameters; curves, one decision and a game follow. Shipped models and parameter sets can be chosen on
the page, besides the given ones; a folder of nsa evolve stands for its champion. A link or a file saved on the page
restores the view with --view. The page is served on this computer only, and needs the token in the printed address.
Ctrl-C ends the server."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", default="", metavar="MODEL", help=MODEL_HELP)
    several = (
        f"parameter sets, files, or folders of searches, comma separated; the first is shown (default {DEFAULT_SET})"
    )
    add("--parameters", default="", metavar="S,T", help=several)
    add("--arms", type=int, metavar="K", help=f"number of arms, 2 to {MOST_ARMS} (default 10)")
    add("--env", metavar="NAME", help="bandit (default MAB-P)")
    add("--view", metavar="LINK|FILE", help="show the view of a link or file that was saved on the page")
    add("--port", type=int, default=0, metavar="N", help="port (default: any free one)")
    add("--no-browser", dest="browser", action="store_false", help="print the address, open no browser")


def run(args: argparse.Namespace) -> None:
    """Serve the page until Ctrl-C, which ends a command with one line."""
    with blame_user():
        check_whole("--port", args.port, 0, 65535)
        answers = answers_of(args)
    try:
        token = secrets.token_urlsafe(16)
        server = Server(files_of(answers, token), token, args.port)
    except OSError as error:
        raise UserError(f"cannot listen on {LOOPBACK}, port {args.port}: {error.strerror}") from None
    server.listen()
    print(server.address, flush=True)
    print("Ctrl-C ends it", file=sys.stderr, flush=True)
    if args.browser:
        webbrowser.open(server.address)
    try:
        while True:
            server.answer(answers.answer, 1.0)
    finally:
        server.stop()


def answers_of(args: argparse.Namespace) -> Answers:
    """Return the answers for the options, and the first view."""
    given = [name.strip() for name in args.parameters.split(",") if name.strip()]
    own = set_of(args.model)
    given = given or ([own] if own != DEFAULT_SET else [])
    catalogue = Catalogue.of(args.model, given)
    text = args.view
    if text is not None and "=" not in text and text:
        text = _file(text)
    return Answers(catalogue, first_view(catalogue, args.model, bool(given), text, arms=args.arms, env=args.env))


def _file(name: str) -> str:
    """Return the content of a view file."""
    try:
        return read_text(Path(name))
    except ValueError as error:
        raise ValueError(f"--view takes a link or a file; {printable(name)} {error}") from None


def first_view(catalogue: Catalogue, model: str, has_sets: bool, view: str | None, **chosen: Any) -> View:
    """Return the first view: a saved one, or a model with the first of the given sets and some fields.

    Parameters
    ----------
    catalogue : Catalogue
    model : str
        As given to the catalogue.
    has_sets : bool
        Whether the catalogue begins with given sets.
    view : str, optional
        A link, or the content of a view file.
    **chosen
        Fields of the view; those that are None are left out.
    """
    if view is not None:
        return View.from_text(view, catalogue)
    first = next(iter(catalogue.sets)) if has_sets else DEFAULT_SET
    brought = catalogue.sets[first].model
    name = ALIASES.get(model, model) or "paper"
    if name not in catalogue.models:
        name = next(iter(catalogue.models))  # a file's
    if brought is not None:
        read_set(first, model)  # raises an error if the set belongs to another model
        name = catalogue.name_of(brought)
    return View.from_dict({"model": name, "set": first, **chosen}, catalogue)


def files_of(answers: Answers, token: str) -> dict[str, tuple[bytes, str]]:
    """Return the files of the page by path, with their types; the page asks for the others with the token."""
    start = json.dumps(answers.start(), allow_nan=False)
    page = render("explore", token=token, start=start.replace("<", "\\u003c"))
    return {
        "/": (page.encode(), "text/html"),
        "/explore.js": (resource("explore.js").encode(), "text/javascript"),
        "/explore.css": (resource("explore.css").encode(), "text/css"),
    }


def resource(name: str) -> str:
    """Return a file of the page."""
    return (resources.files("experiments.explore") / name).read_text("utf-8")


COMMAND = Command(EPILOG, add_arguments, run)
