"""Style shared by all figures, and rendering."""

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

#: Okabe and Ito's colour-blind safe colours, with line styles for print in grey.
AGENT_STYLE: dict[str, dict[str, Any]] = {
    "nsa": {"color": "#D55E00", "linestyle": "-", "linewidth": 2.0, "zorder": 5},
    "thompson": {"color": "#0072B2", "linestyle": "--"},
    "epsilon-greedy": {"color": "#009E73", "linestyle": "-."},
    "ucb1": {"color": "#CC79A7", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    "random": {"color": "#7F7F7F", "linestyle": ":"},
}

_OTHERS = ("#E69F00", "#56B4E9", "#F0E442", "#000000")


def style_of(agent: str, agents: Sequence[str]) -> dict[str, Any]:
    """Return the style of an agent; agents not in ``AGENT_STYLE`` share the remaining colours."""
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
    """Apply our matplotlib style temporarily."""
    with mpl.rc_context(_LOOK):
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return a figure that is not managed by pyplot and needs no display."""
    return Figure(figsize=(width, height), layout="constrained")


#: Metadata that removes dates, by format, so that files are reproducible.
_DATES = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}


def rendered(figure: Figure, kind: str, dpi: int = 150) -> bytes:
    """Return the image of a figure as reproducible bytes.

    Texts may contain users' names: a dollar sign does not start a formula, and unprintable characters are escaped.
    """
    for text in figure.findobj(Text):
        content = text.get_text()
        if "$" in content and "mathdefault" not in content:  # not labels of a logarithmic axis
            text.set_parse_math(False)
        if not all(character.isprintable() or character == "\n" for character in content):
            text.set_text("\n".join(map(printable, content.split("\n"))))
    image = io.BytesIO()
    if kind == "png":  # savefig draws the figure twice
        figure.set_dpi(dpi)
        FigureCanvasAgg(figure).print_png(image, metadata=_DATES[kind])
        return image.getvalue()
    with mpl.rc_context({"svg.hashsalt": "nsa"}):
        figure.savefig(image, format=kind, dpi=dpi, metadata=_DATES[kind])
    return image.getvalue()
