"""Standard JSON."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any) -> str:
    """Return a value as JSON, with NaN and infinity as null."""
    return json.dumps(_finite(value), indent=1, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
