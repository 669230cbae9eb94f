"""``nsa describe``: describe a model for a methods section, or draw its network."""

from __future__ import annotations

import argparse

from experiments.core.command import Command
from experiments.core.errors import at_least, blame_user
from experiments.core.files import new_file, write_text
from experiments.core.named import read_model_and_engine, read_set, set_of
from experiments.core.nsa_agents import MODEL_HELP, check_course
from nsa_brian import DEFAULT_SET, MODELS, ParameterSet, prepare
from nsa_brian.common.texts import shown
from nsa_brian.describe.content import Description
from nsa_brian.describe.diagram import diagram
from nsa_brian.describe.formats import to_html, to_latex, to_markdown
from nsa_brian.model.model import check_noise
from nsa_brian.model.timing import DT_HELP, EULER, METHOD_HELP, check_step

#: The suffix of each format's files.
FORMATS = {"latex": ".tex", "markdown": ".md", "html": ".html", "svg": ".svg"}
EPILOG = """Equations with numbers, populations, couplings, learning rule, choice rule, phases, integration, and a table
of parameters with units, meanings and sources. svg is a diagram of the network; html contains it. Calibrated values
depend on the number of arms and take a while: they are computed if --arms is given.

examples:
  nsa describe --model my.py --format latex --out methods.tex
  nsa describe --model spiking-ei --format latex --standalone --out model.tex && pdflatex model.tex
  nsa describe --format svg --out network.svg"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help=MODEL_HELP)
    add("--parameters", metavar="SET", help=f"parameter set: a name or a file (default {DEFAULT_SET}, or the model's)")
    add("--format", default="markdown", metavar="NAME", help=f"one of {', '.join(FORMATS)} (default markdown)")
    add("--standalone", action="store_true", help="a whole LaTeX document or HTML page, not a part of one")
    add("--out", metavar="FILE", help="the file to write; by default the description is printed")
    add("--force", action="store_true", help="replace the file if it exists")
    add("--arms", type=int, metavar="K", help="calibrate the model for K arms and give the values")
    add("--dt", type=float, metavar="MS", help=DT_HELP)
    add("--method", default=EULER, metavar="NAME", help=METHOD_HELP)


def run(args: argparse.Namespace) -> None:
    """Write or print the description."""
    with blame_user():
        if args.format not in FORMATS:
            raise ValueError(f"--format must be one of {', '.join(FORMATS)}, got {shown(args.format)}")
        if args.standalone and args.format not in ("latex", "html"):
            raise ValueError(f"--standalone needs --format latex or html, got {args.format}")
        check_step(args.dt, args.method)
        if args.arms is not None:
            at_least(args, arms=2)
        path = None if args.out is None else new_file(args.out, FORMATS[args.format], args.force)
        name, _ = read_model_and_engine(args.model, None)
        text = describe(read_set(args.parameters or set_of(name), name), args)
    if path is None:
        print(text, end="")
        return
    write_text(path, text)
    print(path)


def describe(chosen: ParameterSet, args: argparse.Namespace) -> str:
    """Return the description of a model in the format asked for."""
    model = chosen.model or MODELS["paper"]
    check_noise(model, args.method)
    check_course(model, chosen.parameters, args.dt, args.method)
    if args.format == "svg":
        return diagram(model)
    calibrated = model.prepare and args.arms is not None
    found = prepare(model, chosen.parameters, args.arms)[0] if calibrated else None
    document = Description(chosen, found, args.dt, args.method).document()
    if args.format == "latex":
        return to_latex(document, args.standalone)
    return to_markdown(document) if args.format == "markdown" else to_html(document, diagram(model), args.standalone)


COMMAND = Command(EPILOG, add_arguments, run)
