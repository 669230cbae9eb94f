"""JSON as its standard has it, for other programs to read."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any) -> str:
    """A value as JSON; what is no number, or infinite, is null, for JSON has no word for it."""
    return json.dumps(_finite(value), indent=1, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
