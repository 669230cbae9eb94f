"""Command-line options made from the fields of settings dataclasses."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Collection, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from nsa_brian.common.texts import shown

#: Names of types in error messages.
_CALLED = {int: "whole numbers", float: "numbers"}


def setting(default: Any, text: str, metavar: str = "N", *, flag: str = "", compare: bool = True) -> Any:
    """Return a dataclass field with the help text of its option.

    Parameters
    ----------
    default
        Value if the option is not given.
    text, metavar : str
        For the help.
    flag : str
        Name of an option that can be repeated, with one ``KEY=VALUE`` each.
    compare : bool
        Whether the field counts in comparisons of settings; False if another field determines the same.
    """
    metadata = {"help": text, "metavar": metavar, "flag": flag}
    return dataclasses.field(default=default, compare=compare, metadata=metadata)


def add_options(parser: argparse.ArgumentParser, kind: type, only: Collection[str] = ()) -> None:
    """Add an option for each setting, or for some of them."""
    types = get_type_hints(kind)
    for field in dataclasses.fields(kind):
        if "help" not in field.metadata or (only and field.name not in only):
            continue
        if types[field.name] is bool:
            to = f"set_{field.name}"
            parser.add_argument(_flag(field), dest=to, action="store_true", default=None, help=field.metadata["help"])
            continue
        parser.add_argument(
            _flag(field),
            dest=f"set_{field.name}",
            metavar=field.metadata["metavar"],
            help=field.metadata["help"],
            action="append" if field.metadata["flag"] else "store",
        )


def read_given(kind: type, args: argparse.Namespace) -> dict[str, Any]:
    """Return the settings whose options were given; raise a ValueError for invalid ones."""
    types = get_type_hints(kind)
    texts = {field: getattr(args, f"set_{field.name}", None) for field in dataclasses.fields(kind)}
    return {
        field.name: read_option(_flag(field), types[field.name], text)
        for field, text in texts.items()
        if text is not None
    }


def _flag(field: dataclasses.Field[Any]) -> str:
    return field.metadata["flag"] or "--" + field.name.replace("_", "-")


def read_option(flag: str, kind: Any, text: str | Sequence[str] | bool) -> Any:
    """Convert the text of an option, or its texts if it is repeatable, to a type; True is that of a switch."""
    if isinstance(text, bool):
        return text
    if get_origin(kind) is UnionType:  # with None
        kind = next(part for part in get_args(kind) if part is not NoneType)
    if not isinstance(text, str):
        return dict(_pair(flag, each) for each in text) if get_origin(kind) is dict else tuple(text)
    if not text.strip():
        raise ValueError(f"{flag} needs a value")
    several = get_origin(kind) is tuple
    reader = get_args(kind)[0] if several else kind
    parts = [part.strip() for part in text.split(",") if part.strip()] if several else [text]
    try:
        values = tuple(reader(part) for part in parts)
    except ValueError:
        raise ValueError(f"{flag} takes {_CALLED[reader]}, got {shown(text)}") from None
    if not values:
        raise ValueError(f"{flag} needs a value")
    return values if several else values[0]


def _pair(flag: str, text: str) -> tuple[str, Any]:
    """Parse ``KEY=VALUE`` with a number, a list or a text as value."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f"{flag} takes KEY=VALUE, got {shown(text)}")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def some(settings: object, *names: str) -> dict[str, Any]:
    """Return some settings by name."""
    return {name: getattr(settings, name) for name in names}


def chosen_preset(presets: Mapping[str, Any], name: str) -> Any:
    """Return a preset by name."""
    if name not in presets:
        raise ValueError(f"unknown preset {shown(name)}; known: {', '.join(presets)}")
    return presets[name]


def presets_help(presets: Mapping[str, Any]) -> str:
    """Return the help text of presets: the first in full, the others by their differences."""
    first, width = next(iter(presets.values())), max(map(len, presets))
    lines = []
    for name, preset in presets.items():
        shown = {
            field.name: getattr(preset, field.name)
            for field in dataclasses.fields(preset)
            if "help" in field.metadata
            if preset is first or getattr(preset, field.name) != getattr(first, field.name)
        }
        text = ", ".join(f"{key} {show(value)}" for key, value in shown.items() if value not in ("", (), {}, None))
        lines.append(f"  {name:<{width}} {text}")
    return "\n".join(lines)


def show(value: Any) -> str:
    """Return the value of a setting as the option takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
