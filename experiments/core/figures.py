"""What all figures share: each agent's colour, line and marker, and the look of the axes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from nsa_brian.errors import printable

#: Okabe and Ito's colours, which the colour-blind can tell apart, and a line style for those who print in grey.
AGENT_STYLE: dict[str, dict[str, Any]] = {
    "nsa": {"color": "#D55E00", "linestyle": "-", "linewidth": 2.0, "zorder": 5},
    "thompson": {"color": "#0072B2", "linestyle": "--"},
    "epsilon-greedy": {"color": "#009E73", "linestyle": "-."},
    "ucb1": {"color": "#CC79A7", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    "random": {"color": "#7F7F7F", "linestyle": ":"},
}

_OTHERS = ("#E69F00", "#56B4E9", "#F0E442", "#000000")


def style_of(agent: str, agents: Sequence[str]) -> dict[str, Any]:
    """The style of one of the agents in a figure; those without one of their own share what colours are left."""
    if agent in AGENT_STYLE:
        return AGENT_STYLE[agent]
    others = [name for name in agents if name not in AGENT_STYLE]
    place = others.index(agent)
    return {"color": _OTHERS[place % len(_OTHERS)], "linestyle": (0, (5, 1 + place // len(_OTHERS)))}


_LOOK: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.frameon": False,
    "figure.facecolor": "white",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the look of all our figures, leaving the user's matplotlib settings as they were."""
    with mpl.rc_context(_LOOK):
        yield


def new_figure(width: float, height: float) -> Figure:
    """A figure that no window knows of: nothing to close, no display needed."""
    return Figure(figsize=(width, height), layout="constrained")


#: What makes two drawings of the same differ, by format: dates.
_DATES = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}


def rendered(figure: Figure, kind: str, dpi: int = 150) -> bytes:
    """The image of a figure, the same bytes whenever it is drawn.

    Names in it come from users and their files: a dollar sign in one begins no formula, and what cannot be printed is
    escaped.
    """
    for text in figure.findobj(Text):
        said = text.get_text()
        if "$" in said and "mathdefault" not in said:  # but for the numbers of a logarithmic axis
            text.set_parse_math(False)
        if not all(character.isprintable() or character == "\n" for character in said):
            text.set_text("\n".join(map(printable, said.split("\n"))))
    image = io.BytesIO()
    if kind == "png":  # savefig goes through all of a figure twice, for the same image
        figure.set_dpi(dpi)
        FigureCanvasAgg(figure).print_png(image, metadata=_DATES[kind])
        return image.getvalue()
    with mpl.rc_context({"svg.hashsalt": "nsa"}):
        figure.savefig(image, format=kind, dpi=dpi, metadata=_DATES[kind])
    return image.getvalue()
