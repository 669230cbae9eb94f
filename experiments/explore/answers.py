"""Answers to the questions of the page and of the widget: plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.explore import code, panels
from experiments.explore.catalogue import Catalogue
from experiments.explore.game import Games
from experiments.explore.view import FieldError, View, blamed
from nsa_brian.common.texts import shown

#: What can be asked for.
QUESTIONS = ("curves", "decision", "game", "code")


class Answers:
    """All that the page can ask for, about models and sets of a catalogue.

    Parameters
    ----------
    catalogue : Catalogue
    view : View, optional
        What is shown first.
    """

    def __init__(self, catalogue: Catalogue, view: View | None = None) -> None:
        self.catalogue, self.view = catalogue, view or View()
        self._games = Games(catalogue)

    def start(self) -> dict[str, Any]:
        """Return what the page needs at its start."""
        return {**self.catalogue.to_dict(), "view": self.view.to_dict(), "defaults": View().to_dict()}

    def answer(self, question: Any) -> dict[str, Any]:
        """Answer a question, an object with ``ask`` and ``view``; illegal values give ``error`` and its ``field``."""
        try:
            return self._answer(question)
        except ValueError as error:  # FieldError is one
            return {"error": str(error), "field": getattr(error, "field", "")}

    def _answer(self, question: Any) -> dict[str, Any]:
        if not isinstance(question, Mapping) or question.get("ask") not in QUESTIONS:
            raise FieldError("", f"a question asks for {', '.join(QUESTIONS)}, got {shown(question)}")
        view = View.from_dict(question.get("view", {}), self.catalogue)
        try:
            match question["ask"]:
                case "curves":
                    return panels.curves(view, self.catalogue)
                case "decision":
                    return panels.decision(view, self.catalogue, question.get("w"))
                case "game":
                    return self._games.play(view, question.get("at", 0), question.get("until", 0))
                case _:
                    return dict(code.texts(view, self.catalogue))
        except FieldError:
            raise
        except Exception as error:  # a user's model may raise anything; the page must go on
            raise blamed(error, view, view.of(self.catalogue)) from error
