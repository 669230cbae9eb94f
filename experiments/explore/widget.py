"""The page of ``nsa explore`` as a widget in notebooks, made with anywidget (the extra ``widget``)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from experiments.explore.answers import Answers
from experiments.explore.catalogue import Catalogue
from experiments.explore.command import first_view, resource


class Explorer(anywidget.AnyWidget):
    """The page in a notebook. It runs the same module as the page; questions are answered in the kernel.

    Parameters
    ----------
    model : str
        As ``--model`` of ``nsa explore``.
    parameters : sequence of str
        Parameter sets, files or folders of searches.
    view : str, optional
        A link or the text of a file that was saved on the page.
    **chosen
        Fields of the view, such as ``arms=5``, ``env="MAB-D"``, ``silence="u"``.

    Examples
    --------
    >>> from experiments.explore.widget import Explorer  # doctest: +SKIP
    >>> Explorer(arms=5, env="MAB-D")  # doctest: +SKIP
    """

    _esm = resource("explore.js")
    _css = resource("explore.css")
    start = traitlets.Unicode().tag(sync=True)

    def __init__(self, model: str = "", parameters: Sequence[str] = (), view: str | None = None, **chosen: Any) -> None:
        catalogue = Catalogue.of(model, parameters)
        answers = Answers(catalogue, first_view(catalogue, model, bool(parameters), view, **chosen))
        super().__init__(start=json.dumps(answers.start(), allow_nan=False))
        self._answers = answers
        self.on_msg(self._answer)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """Answer a message of the page."""
        self.send({"number": content.get("number"), "answer": self._answers.answer(content.get("question"))})
