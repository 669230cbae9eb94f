"""Random models, drawn from pieces that users would write (hypothesis)."""

from hypothesis import strategies as st

from nsa_brian import Choice, Coupling, Input, Lateral, Model, Phase, Population

#: Numbers, of all kinds of operators and functions; what is in brackets is drawn in turn.
NUMBERS_U = ["u", "0.3", "1/3", "2", "phi_u", "I", "7 // 2", "2**-1"]
NUMBERS_W = ["w", "u", "v", "R", "0.3", "1/3", "2", "Phi_eta", "w_max", "7 % 4"]
SHAPES = [
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} % 0.7)",
    "({} // 0.7)",
    "(({}) ** 2)",
    "sqrt(abs({}))",
    "tanh({})",
    "sin({} * 3)",
    "cos({})",
    "arctan({})",
    "exp(-abs({}))",
    "expm1(-abs({}))",
    "exprel(-abs({}))",
    "log(1.5 + abs({}))",
    "log10(1.5 + abs({}))",
    "log1p(abs({}))",
    "floor(2 * {})",
    "ceil(2 * {})",
    "int(2 * {})",
    "int({} > {})",
    "int({} <= 0.2 or not ({} < 1))",
    "sign({} - 0.4)",
    "clip({}, 0.1, {})",
    "arcsin(clip({}, -1, 1))",
    "cosh(clip({}, -1, 1))",
    "sinh(clip({}, -1, 1))",
    "tan(clip({}, -1, 1))",
    "arccos(clip({}, -1, 1))",
]
LATERALS = ["", "-0.3 * phi_u_pre", "0.05 * u_pre", "h = 0.1 * u_pre : 1\n-h * h", "-0.1 * (3 * u_pre // 1)"]
POOLS = ["", "dp/dt = (-p + into) / (10 * ms) : 1", "p = into / n_arms : 1", "p = into % 0.5 / 3 : 1"]
DRIVES = [
    "Phi_v * phi_u_pre",
    "w / w_max * phi_u_pre",
    "x * Phi_v * phi_u_pre",
    "(0.5 * Phi_v + 0.1) * phi_u_pre",
    "(Phi_v + (w % 0.3) / 4) * phi_u_pre",
    "clip(Phi_v, 1/3, 2/3) * phi_u_pre",
]
RULES = [
    "w + Phi_eta * (R * w_max - w)",
    "w + Phi_eta * (R * w_max - w) * clip(u, 0.1, 1)",
    "w += chosen * Phi_eta * (R * w_max - w) - (1 - chosen) * 0.05 * w",
    "step = Phi_eta * (R * w_max - w) : 1\nw + 0.5 * step",
    "w + 0.4 * (R * w_max - w) * tanh({number})",
    "q = tanh({number})\nw += chosen * 0.5 * q * (R * w_max - w)",
    "q = {number}\nk = int(q > 0.2)\nw -= (1 - chosen) * (w % 0.1) / 3\nw += chosen * (0.2 + 0.3 * k) * (R - w)",
    "w = clip(w + chosen * (R - 1/3) * 2, 0, w_max)\nw -= 0.01 * tanh({number})",
]


def number(draw, leaves, depth=2):
    """An expression of some names."""
    if depth == 0:
        return draw(st.sampled_from(leaves))
    shape = draw(st.sampled_from(SHAPES))
    return shape.format(*(number(draw, leaves, draw(st.integers(0, depth - 1))) for _ in range(shape.count("{}"))))


@st.composite
def models(draw):
    """Small models drawn from pieces that users would write."""
    lateral, pool = draw(st.sampled_from(LATERALS)), draw(st.sampled_from(POOLS))
    drive = draw(st.sampled_from(DRIVES))
    rule = draw(st.sampled_from(RULES)).replace("{number}", number(draw, NUMBERS_W))
    term = draw(st.sampled_from(["", " - a", f" + 0.1 * tanh({number(draw, NUMBERS_U)})"]))
    rate = f"du/dt = (-u + I_u + I{term}{' + L' if lateral else ''}{' - G' if pool else ''}{{noise}}) / tau_u : 1"
    if term == " - a":
        rate += f"\nda/dt = (u - a) / ({draw(st.sampled_from([15, 80]))} * ms) : 1"
    carried = [name for name in ("a", "p") if f"d{name}/dt" in rate + pool and draw(st.booleans())]
    source = draw(st.sampled_from(["u", "v"]))
    given = {}
    if "x *" in drive:
        given["synapse"] = "dx/dt = (1 - x) / (60 * ms) - phi_u_pre * x / (90 * ms) : 1"
    return Model(
        rate_u=rate,
        drive_v=drive,
        plasticity=rule,
        carried=tuple(carried),
        initial={"w": draw(st.sampled_from(["0", "0.6 * w_max"])), **({"x": "1"} if "x *" in drive else {})},
        lateral=(Lateral("u", "L", lateral),) if lateral else (),
        populations=(Population("pool", pool),) if pool else (),
        couplings=(Coupling(source, "pool", "into", f"phi_{source}_pre"), Coupling("pool", "u", "G", "0.2 * p_pre"))
        if pool
        else (),
        **given,
    )


# Random models of all parts -----------------------------------------------------------------------------------------

#: Names that strings of an option, of a rule or of the choice may use, as drawn parts make them.
OF_RULES = ["w", "u", "v", "R", "0.3", "1/3", "Phi_eta", "7 % 4"]
#: Weights to explore with; {} is a number.
EXPLORE = [
    "1",
    "best_u",
    "0.2 + best_v",
    "exp((v - v_top) / 0.1)",
    "int(u > u_at_v)",
    "int(v >= v_at_u) + 0.1 * best_u",
    "w",
    "abs({})",
    "{} - 0.3",
    "0",
]
#: What U and V show; {} is the variable.
SHOWN = ["", "{} + 0.02 * w", "tanh({}) - 0.01", "{} * (1 + 0.1 * w / w_max)", "floor(8 * {})"]
#: Signals, how they change, and how a string reads them.
SIGNALS = [
    ("q : 1", "q += 0.3 * (R - q)", "q"),
    ("q : 1", "q += (abs(R - w_chosen / w_max) - q) / 4", "q"),
    ("q : 1\nlevel = 1 + q / 2 : 1", "d = u_chosen - v_chosen\nq = 0.8 * q + 0.1 * d + 0.05 * agreed", "level"),
    ("q : 1\nk : 1", "k = 0.5 * k + R\nq = tanh(k * Phi_eta_chosen) * (1 - 0.2 * agreed)", "q"),
]
#: Equations of a third population of an option, and how U or V reads it.
THIRDS = [
    ("dh/dt = (-h + u_u) / (20 * ms) : 1", "h_third"),
    ("dh/dt = (-h + {option} + v_v) / (15 * ms) : 1\ndg/dt = (h - g) / (30 * ms) : 1", "g_third"),
    ("dh/dt = (-h + s_third * u_u + 0.3 * {option}) / (20 * ms) : 1\ns_third = 1 - h : 1", "h_third"),
]
#: Equations of a game's population.
OF_GAME = [
    "dp/dt = (-p + u_u{game}) / (10 * ms) : 1",
    "dp/dt = (-p + into{game}) / (25 * ms) : 1",
    "p = into{game} : 1",
]
#: A neuron that fires, of a V or a U; {more} is what arrives besides.
FIRES = [
    "dm/dt = (-m + drive + {more}) / (8 * ms) : 1 (unless refractory)\n"
    "drive = 3 * I_{x}{input} : 1\n"
    "ds/dt = -s / (15 * ms) : 1",
    "dm/dt = (-m + drive + {more}) / (6 * ms) : 1\n"
    "drive = clip(4 * I_{x}{input}, 0, 5) : 1\n"
    "ds/dt = -s / (10 * ms) : 1\n"
    "da/dt = -a / (30 * ms) : 1",
]


class Parts:
    """Parts of a model as they are drawn: what is declared, and what there is to read."""

    def __init__(self, draw):
        self.draw = draw
        self.given = {"name": "drawn", "initial": {"w": self.one("0", "0.6 * w_max")}}
        self.option, self.game, self.rules = ["w / w_max", "Phi_v"], [], list(OF_RULES)
        self.populations, self.couplings, self.parameters = [], [], []

    def one(self, *several):
        return self.draw(st.sampled_from(several))

    def maybe(self):
        return self.draw(st.booleans())

    def number(self, *leaves):
        return number(self.draw, list(leaves), self.draw(st.integers(0, 2)))

    def term(self, *leaves):
        """A small addition to an equation."""
        return f" + 0.1 * tanh({self.number(*leaves)})"


def _signals(parts):
    lines, update, read = parts.one(*SIGNALS)
    parts.given |= {"signals": lines, "signal_update": update}
    parts.given["initial"]["q"] = parts.one("0", "0.4")
    parts.game.append(read)
    parts.rules.append(read)


def _inputs(parts):
    inputs = []
    for name, per in (("light", "option"), ("drug", "game")):
        if parts.maybe():
            inputs.append(Input(name, per, default=0.2))
            (parts.option if per == "option" else parts.game).append(name)
            parts.rules.append(name)
    parts.given["inputs"] = tuple(inputs)


def _synapse(parts):
    kind = parts.one("none", "none", "slow", "line", "moves")
    lines = {
        "slow": "n : 1",
        "line": "n : 1\nnn = tanh(n + Phi_v) : 1",
        "moves": "dn/dt = (1 - n) / (60 * ms) - phi_u_pre * n / (90 * ms) : 1",
    }
    if kind != "none":
        parts.given["synapse"] = lines[kind]
        parts.option.append("nn" if kind == "line" else "n")
        parts.rules.append("n")
        parts.given["initial"]["n"] = parts.one("0.5", "1")
    return kind


def _phases(parts):
    phases = [Phase("input", "duration_input", {"I": "I_ext"}), Phase("free", "duration_free")]
    if parts.maybe():
        phases.insert(parts.one(0, 1, 2), Phase("cue", "20 * ms", {"cue": parts.one("0.5", "1/3", "I_ext / 2")}))
        parts.given["phases"] = tuple(phases)
        return " + 0.3 * cue"
    return ""


def _third(parts):
    equations, read = parts.one(*THIRDS)
    equations = equations.replace("{option}", parts.one(*parts.option))
    carried = ("h",) if parts.maybe() else ()
    parts.populations.append(Population("third", equations, "option", carried=carried))
    return f" - 0.2 * {read}"


def _pool(parts, source):
    line, game = parts.one(*OF_GAME), parts.one("", *(f" + 0.2 * {name}" for name in parts.game))
    if "u_u" in line and source != "u":
        line = line.replace("u_u", "into")
    normal = ()
    if "d" in line and parts.one(True, False, False):
        line, normal = line.replace("-p", "-p + 0.2 * z"), ("z",)
    carried = ("p",) if line.startswith("dp") and parts.maybe() else ()
    parts.populations.append(Population("pool", line.format(game=game), "game", carried=carried, normal=normal))
    if "into" in line:
        sent = "phi_u_pre" if source == "u" else "s_pre"
        option = parts.one("", f" * (1 + {parts.one(*parts.option)})")
        parts.couplings.append(Coupling(source, "pool", "into", sent + option, over=parts.one("sum", "mean")))
    if line.startswith("dp") and parts.maybe():
        return " - 0.2 * p_pool"
    parts.couplings.append(Coupling("pool", "u", "G", "0.2 * p_pre"))
    return " - G"


def _rule(parts, kind):
    rule = parts.one(
        "w + Phi_eta * (R * w_max - w)",
        "w + 0.4 * (R * w_max - w) * tanh({})",
        "w += chosen * Phi_eta * (R * w_max - w) - (1 - chosen) * 0.05 * w",
        "q_own = tanh({})\nw += chosen * 0.5 * q_own * (R * w_max - w)",
    )
    if kind in ("slow", "line"):
        rule = "n += 0.2 * (chosen - n)\nw += chosen * Phi_eta * (R * w_max - w) * (1 + 0.2 * n * tanh({}))"
    return rule.replace("{}", parts.number(*parts.rules))


def _choice(parts, fires=""):
    leaves = [name for name in parts.rules if name != "R"]
    given = {"exploit": parts.one("agreement", "agreement", "never")}
    given["explore"] = parts.one(*EXPLORE).replace("{}", parts.number(*leaves))
    for name in ("u", "v"):
        given[name] = parts.one(*SHOWN).replace(
            "{}", parts.one(f"(m_{name} + s_{name})", name) if fires == name else name
        )
    return Choice(**given)


@st.composite
def models_of_parts(draw):
    """Models of rates, of all parts that there are."""
    parts = Parts(draw)
    if parts.maybe():
        _signals(parts)
    _inputs(parts)
    kind = _synapse(parts)
    term = _phases(parts)
    if parts.maybe():
        term += _third(parts)
    if parts.maybe():
        term += _pool(parts, "u")
    own = [*parts.option, *parts.game]
    for name in ("u", "v"):
        more = parts.one("", parts.term(name, *own))
        inputs = "I_u + I" if name == "u" else "I_v"
        line = f"d{name}/dt = (-{name} + {inputs}{term if name == 'u' else ''}{more}{{noise}}) / tau_{name} : 1"
        parts.given[f"rate_{name}"] = line
    parts.given["drive_v"] = f"Phi_v * phi_u_pre * (1 + 0.1 * tanh({parts.number(*own)}))"
    parts.given["noise"] = parts.one(0.0, 0.0, 0.05)
    # What nobody reads is refused.
    used = [name for name in ("light", "drug") if name in {given.name for given in parts.given["inputs"]}]
    parts.given["rate_v"] = parts.given["rate_v"].replace(
        "{noise}", "".join(f" + 0.05 * {n}" for n in used) + "{noise}"
    )
    return Model(
        **parts.given,
        populations=tuple(parts.populations),
        couplings=tuple(parts.couplings),
        plasticity=_rule(parts, kind),
        choice=_choice(parts),
    )


@st.composite
def models_that_fire(draw):
    """Models in which V, or U, is a few neurons that fire, and the other a rate."""
    parts = Parts(draw)
    x = parts.one("v", "v", "u")
    if parts.maybe():
        _signals(parts)
    _inputs(parts)
    kind = _synapse(parts) if x == "v" else "none"
    term = _phases(parts)
    normal = ("z",) if parts.maybe() else ()
    poisson = {"y": parts.one("200 * Hz", "(100 + 300 * I) * Hz")} if parts.maybe() else {}
    own = [*parts.option, *parts.game]
    more = ["0.1", *(["0.5 * z"] if normal else []), *(["0.4 * y"] if poisson else [])]
    more.append(f"0.1 * tanh({parts.number('m', *own)})")
    equations = parts.one(*FIRES)
    reset = parts.one("m = 0; s += 0.2", "m -= 1; s += 0.2 * (1 - s)")
    if "da/dt" in equations:
        equations, reset = equations.replace("-m + drive", "-m + drive - a"), f"{reset}; a += 0.3"
    equations = equations.format(x=x, more=" + ".join(more), input=f" + 2 * I{term}" if x == "u" else "")
    parts.populations.append(
        Population(
            x, equations, "option", parts.one(1, 3, 4), parts.one("m > 1", "m > 0.8 and s < 3"), reset,
            "2 * ms" if "unless" in equations else parts.one("", "1.5 * ms"), {"m": parts.one("0", "0.2")},
            parts.one((), ("m",), ("s",)), normal, poisson,
        )
    )  # fmt: skip
    other = "u" if x == "v" else "v"
    extra = _pool(parts, x) if parts.maybe() and x == "v" else ""
    inputs = f"I_u + I{term}{extra}" if other == "u" else "I_v"
    used = "".join(f" + 0.05 * {given.name}" for given in parts.given["inputs"])
    line = f"d{other}/dt = (-{other} + {inputs}{used}{parts.one('', parts.term(other, *own))}) / tau_{other} : 1"
    parts.given[f"rate_{other}"] = line
    parts.given |= {"drive_u": "2 * s_pre"} if x == "v" else {"drive_v": "Phi_v * s_pre"}
    parts.rules += [f"s_{x}"]
    return Model(
        **parts.given,
        populations=tuple(parts.populations),
        couplings=tuple(parts.couplings),
        plasticity=_rule(parts, kind),
        choice=_choice(parts, fires=x),
    )
