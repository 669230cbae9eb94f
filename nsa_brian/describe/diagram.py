"""A network diagram in SVG: populations as boxes, couplings as arrows, the input, the choice and the reward."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass

from nsa_brian.errors import printable
from nsa_brian.model.latex import label
from nsa_brian.model.model import Model
from nsa_brian.model.reading import names_in
from nsa_brian.model.structure import SYNAPSE, Link, Neurons, U, V

#: Sizes in pixels.
BOX, GAP, ROW, TOP, LEFT = (150, 64), 190, 150, 60, 150
#: Distance between parallel arrows, and characters of a label.
APART, LONGEST = 26, 26
_STYLE = """
text { font: 13px sans-serif; fill: currentColor; text-anchor: middle; }
.small { font-size: 11px; }
.back { fill: Canvas; stroke: none; opacity: 0.9; }
rect.population { fill: #8881; stroke: currentColor; stroke-width: 1.5; }
rect.game { stroke-dasharray: 5 3; }
path { fill: none; stroke: currentColor; stroke-width: 1.5; }
path.all { stroke-width: 4; opacity: 0.75; }
path.plastic, text.plastic { stroke: #c0392b; } text.plastic { stroke: none; fill: #c0392b; }
path.outside { stroke-dasharray: 2 3; }
marker path, .tip { fill: currentColor; stroke: none; } .tip.plastic { fill: #c0392b; stroke: none; }
"""


@dataclass(frozen=True)
class Arrow:
    """One or more couplings between two populations, with the names of what arrives."""

    source: str
    target: str
    names: tuple[str, ...]
    plastic: bool
    one: bool


def diagram(model: Model) -> str:
    """Return the network of a model as an SVG drawing.

    U and V are in the first row, further populations of options below, those of a game at the bottom with a dashed
    border. A thin arrow is one-to-one, a thick one all-to-all; red ones depend on what the option learns.
    """
    return _Drawing(model).svg()


class _Drawing:
    def __init__(self, model: Model) -> None:
        self._model, self._structure = model, model.structure
        self._places = self._laid_out()
        self._parts: list[str] = []
        self._labels: list[str] = []

    # Layout ----------------------------------------------------------------------------------------------------------

    def _laid_out(self) -> dict[str, tuple[float, float]]:
        """Return the centre of each box."""
        populations = self._structure.populations
        others = [name for name in populations if name not in (U, V)]
        of_options = [name for name in others if populations[name].of_options]
        rows = [[U, V], of_options, [name for name in others if name not in of_options]]
        width, found = BOX[0] + GAP, {}
        for y, row in enumerate([row for row in rows if row]):
            places = [0.5 + self._side(row[0]) / 2] if len(row) == 1 else range(len(row))
            for x, name in zip(places, sorted(row, key=self._side) if y else row, strict=True):
                found[name] = (LEFT + BOX[0] / 2 + x * width, TOP + BOX[1] / 2 + y * ROW)
        return found

    def _side(self, name: str) -> int:
        """Return -1 if a population is coupled to U alone, 1 if to V alone, else 0."""
        ends = [{link.source, link.target} for link in self._structure.links if name in (link.source, link.target)]
        return any(V in pair for pair in ends) - any(U in pair for pair in ends)

    def svg(self) -> str:
        """Return the drawing."""
        for name in self._places:
            self._box(self._structure.populations[name])
        arrows = self._arrows()
        for arrow in arrows:
            self._arrow(arrow, arrows)
        self._outside()
        width = max(x for x, _ in self._places.values()) + BOX[0] / 2 + 190
        height = max(y for _, y in self._places.values()) + BOX[1] / 2 + 90
        self._legend(height - 12)
        title = f"Network of the model {html.escape(printable(self._model.name))}"
        size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">'
        lines = [head, f"<title>{title}</title>", f"<style>{_STYLE}</style>", *self._parts, *self._labels, "</svg>"]
        return "\n".join(lines) + "\n"

    # Parts -----------------------------------------------------------------------------------------------------------

    def _box(self, neurons: Neurons) -> None:
        x, y = self._places[neurons.name]
        kind = "population" if neurons.of_options else "population game"
        corner = f'x="{x - BOX[0] / 2:g}" y="{y - BOX[1] / 2:g}"'
        self._parts.append(f'<rect class="{kind}" {corner} width="{BOX[0]}" height="{BOX[1]}" rx="8"/>')
        count = "1 neuron" if neurons.count == 1 else "many neurons"
        count = f"{neurons.count} neurons" if isinstance(neurons.count, int) and neurons.count > 1 else count
        spiking = "spiking" if neurons.spikes else "rate"
        per = "per option" if neurons.of_options else "per game"
        for dy, text, small in (
            (-12, label(neurons.name), ""),
            (6, f"{count}, {spiking}", "small"),
            (22, per, "small"),
        ):
            self._text(x, y + dy, text, small, back=False)

    def _arrows(self) -> list[Arrow]:
        """Return the arrows, couplings with the same ends and kind as one."""
        found: dict[tuple[str, str, bool, bool], list[str]] = {}
        for link in self._structure.links:
            if link.target not in self._places:
                continue
            name = link.variable.removesuffix(f"_in_{link.target}")
            key = (link.source, link.target, self._is_plastic(link), self._is_one(link))
            found.setdefault(key, []).append(name)
        return [
            Arrow(source, target, tuple(names), plastic, one) for (source, target, plastic, one), names in found.items()
        ]

    def _is_one(self, link: Link) -> bool:
        both = (self._structure.populations[link.source], self._structure.populations[link.target])
        return link.diagonal and all(each.count == 1 for each in both)

    def _is_plastic(self, link: Link) -> bool:
        """Return whether what arrives depends on variables of the option: in the drive, or in what reads it."""
        structure = self._structure
        learnt = {*structure.names(SYNAPSE)}
        read = structure.comes_down_to(set().union(*map(names_in, link.texts)))
        if read & learnt:
            return True
        if not link.variable.endswith(f"_in_{link.target}") or link.target == U:
            return False
        lines = [str(eq.expr) for eq in structure.populations[link.target].equations if eq.expr is not None]
        beside = [names_in(text) for text in lines if link.variable in names_in(text)]
        return any(structure.comes_down_to(names - {link.variable}) & learnt for names in beside)

    def _arrow(self, arrow: Arrow, arrows: list[Arrow]) -> None:
        kind = ("plastic " if arrow.plastic else "") + ("one" if arrow.one else "all")
        beside = [each for each in arrows if {each.source, each.target} == {arrow.source, arrow.target}]
        shift = (beside.index(arrow) - (len(beside) - 1) / 2) * APART
        text = _short(", ".join(arrow.names))
        if arrow.source == arrow.target:
            self._loop(arrow, kind, text)
            return
        (x1, y1), (x2, y2) = self._places[arrow.source], self._places[arrow.target]
        if y1 == y2:
            sign = 1 if x2 > x1 else -1
            first, last = x1 + sign * BOX[0] / 2, x2 - sign * BOX[0] / 2
            y = y1 + shift
            self._line(f"M {first:g} {y:g} L {last - sign * 8:g} {y:g}", (last, y), (sign, 0), kind)
            self._text((first + last) / 2, y - 7 if shift <= 0 else y + 16, text, kind)
            return
        sign = 1 if y2 > y1 else -1
        start, end = (x1 + shift, y1 + sign * BOX[1] / 2), (x2 + shift, y2 - sign * BOX[1] / 2)
        length = math.hypot(end[0] - start[0], end[1] - start[1])
        direction = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
        stop = (end[0] - 8 * direction[0], end[1] - 8 * direction[1])
        self._line(f"M {start[0]:g} {start[1]:g} L {stop[0]:g} {stop[1]:g}", end, direction, kind)
        part = 0.3 if sign > 0 else 0.7  # in both directions nearer to the upper box, where slanted arrows are apart
        at_x, at_y = (start[i] + part * (end[i] - start[i]) for i in (0, 1))
        left = shift < 0 or (shift == 0 and x1 < x2)
        self._text(at_x + (-9 if left else 9), at_y + 4, text, kind, anchor="end" if left else "start")

    def _loop(self, arrow: Arrow, kind: str, text: str) -> None:
        """Draw an arrow from a population to itself, above it, or below it in the last row."""
        x, y = self._places[arrow.source]
        up = y == min(each[1] for each in self._places.values())
        sign = -1 if up else 1
        edge = y + sign * BOX[1] / 2
        curve = f"C {x - 40:g} {edge + sign * 38:g} {x + 40:g} {edge + sign * 38:g} {x + 31:g} {edge + sign * 9:g}"
        self._line(f"M {x - 30:g} {edge:g} {curve}", (x + 30, edge), (0, -sign), kind)
        self._text(x, edge + (-36 if up else 46), text, kind)

    def _outside(self) -> None:
        """Draw what comes from outside, the choice and the reward."""
        structure = self._structure
        for name in self._places:
            neurons = structure.populations[name]
            read = structure.comes_down_to(set().union(*map(names_in, [*neurons.texts, *neurons.poisson.values()])))
            given = [each for each in (*structure.phased, *structure.inputs) if each in read]
            given += [
                {"normal": "noise", "poisson": "Poisson"}[kind]
                for kind in ("normal", "poisson")
                if getattr(neurons, kind)
            ]
            given += [each for each in ("choice", "R") if each in read]
            if not any(arrow.plastic for arrow in self._arrows() if arrow.target == name):
                given += [each for each in structure.synaptic if each in read]
            if not given:
                continue
            x, y = self._places[name]
            left = x <= min(each[0] for each in self._places.values()) + 1 or name == U
            sign = 1 if left else -1
            edge = x - sign * BOX[0] / 2
            at = y + (18 if name == V else 0)
            self._line(f"M {edge - sign * 60:g} {at:g} L {edge - sign * 8:g} {at:g}", (edge, at), (sign, 0), "outside")
            lines = _folded(given)
            for i, text in enumerate(lines):
                self._text(
                    edge - sign * 66,
                    at + 4 + 15 * (i - (len(lines) - 1) / 2),
                    text,
                    "small",
                    anchor="end" if left else "start",
                )
        x, y = self._places[V]
        edge = x + BOX[0] / 2
        at = y - 14
        self._line(f"M {edge:g} {at:g} L {edge + 42:g} {at:g}", (edge + 50, at), (1, 0), "one")
        self._text(edge + 56, at - 2, "choice: U and V", "small", anchor="start")
        agree = "agree, else explore" if structure.choice.exploit == "agreement" else "by exploration"
        self._text(edge + 56, at + 12, agree, "small", anchor="start")

    def _legend(self, y: float) -> None:
        x = LEFT - 100
        shown = [("one", "one-to-one"), ("all", "all-to-all"), ("plastic one", "depends on what is learnt")]
        shown.append(("outside", "from outside; dashed box: one per game"))
        for kind, text in shown:
            self._line(f"M {x:g} {y:g} L {x + 26:g} {y:g}", (x + 34, y), (1, 0), kind)
            self._text(x + 42, y + 4, text, "small", anchor="start")
            x += 62 + 7 * len(text)

    # Drawing ---------------------------------------------------------------------------------------------------------

    def _line(self, path: str, tip: tuple[float, float], direction: tuple[float, float], kind: str) -> None:
        (x, y), (dx, dy) = tip, direction
        points = [(x, y), (x - 10 * dx - 5 * dy, y - 10 * dy + 5 * dx), (x - 10 * dx + 5 * dy, y - 10 * dy - 5 * dx)]
        colour = " plastic" if "plastic" in kind else ""
        self._parts.append(f'<path class="{kind}" d="{path}"/>')
        self._parts.append(f'<polygon class="tip{colour}" points="{" ".join(f"{a:g},{b:g}" for a, b in points)}"/>')

    def _text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "middle", back: bool = True) -> None:
        style = "" if anchor == "middle" else f' style="text-anchor: {anchor}"'
        name = " ".join(each for each in kind.split() if each in ("small", "plastic"))
        if back:
            width = (6.2 if "small" in kind else 7.3) * len(text)
            left = {"middle": x - width / 2, "start": x, "end": x - width}[anchor]
            self._labels.append(
                f'<rect class="back" fill="white" x="{left:g}" y="{y - 11:g}" width="{width:g}" height="14"/>'
            )
        attribute = f' class="{name}"' if name else ""
        self._labels.append(f'<text{attribute}{style} x="{x:g}" y="{y:g}">{html.escape(text)}</text>')


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _folded(names: Iterable[str]) -> list[str]:
    """Return names on lines of at most 13 characters."""
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) < 12:
            lines[-1] += f", {name}"
        else:
            lines.append(name)
    return lines
