"""Generate the page of commands from the parser."""

import argparse

from experiments.parser import build_parser
from experiments.registry import ENTRIES, GROUPS
from pages.markdown import block, cell, code, table


def page():
    """Return the page of all commands with options, presets and examples."""
    subparsers = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    listed = [
        (group, f"[`nsa {entry.name}`](#nsa-{entry.name})", entry.help)
        for group in GROUPS
        for entry in ENTRIES
        if entry.group == group
    ]
    parts = [
        "# Commands",
        "This page is made from the parser of `nsa`; `nsa COMMAND --help` prints the same. `python -m experiments` is "
        "the same as `nsa`. Common options, files and exit codes: "
        "[](../howto/run_experiments.md).",
        table(["group", "command", "what it does"], listed),
        *(section(name, parser) for name, parser in subparsers.choices.items()),
    ]
    return "\n\n".join(parts) + "\n"


def section(name, parser):
    """Return the section of a command, with a table for each group of options."""
    text = parser.description
    parts = [f"(nsa-{name})=", f"## nsa {name}", f"{text[0].upper()}{text[1:]}."]
    for group in parser._action_groups:
        rows = [(invocation(action), cell(help_of(parser, action))) for action in options(group)]
        if rows:
            parts.append(" ".join(filter(None, (f"**{group.title}**", group.description))))
            parts.append(table(["option", "meaning"], rows))
    if parser.epilog:
        parts.append(block(parser.epilog))
    return "\n\n".join(parts)


def options(group):
    """Return the options of a group except --help."""
    return [action for action in group._group_actions if not isinstance(action, argparse._HelpAction)]


def invocation(action):
    """Return the names of an option with its value."""
    value = "" if action.nargs == 0 else action.metavar or action.dest.upper()
    value = " ".join(value) if isinstance(value, tuple) else value
    names = action.option_strings or [""]
    return code(", ".join(f"{name} {value}".strip() for name in names))


def help_of(parser, action):
    """Return the help of an option with expanded placeholders."""
    return parser._get_formatter()._expand_help(action) if action.help else ""
