"""Further fields of each request, as a person sets them for an endpoint that needs them."""

import json
from collections.abc import Mapping
from typing import Any

from ir.errors import BadSetting

_EXAMPLE = '{"enable_thinking": false}'
_LONGEST = 86_400
_OURS = ("max_completion_tokens", "messages", "model", "n", "response_format", "stream", "tool_choice", "tools")


def read_options(text: str | None) -> Mapping[str, Any]:
    """The fields that a JSON object gives, `max_tokens` among them as the most for any answer.

    Raises:
        BadSetting: it is no JSON object, has a field that is flowc's own, or a limit that is none.

    >>> read_options('{"enable_thinking": false, "max_tokens": 2000}')
    {'enable_thinking': False, 'max_tokens': 2000}
    """
    try:
        options = json.loads(text or "{}")
    except ValueError as error:
        raise BadSetting(f"model_options: {text} is no JSON ({error}); expected such as {_EXAMPLE}") from None
    if not isinstance(options, dict):
        raise BadSetting(f"model_options: {text} is no JSON object; expected such as {_EXAMPLE}")
    ours = [name for name in options if name in _OURS]
    if ours:
        raise BadSetting(f"model_options: {', '.join(ours)}: set by flowc itself; leave it out")
    most = options.get("max_tokens", 1)
    if type(most) is not int or most < 1:
        raise BadSetting(f"model_options: max_tokens is {most!r}; expected a whole number from 1")
    return options


def read_timeout(text: str) -> float:
    """Seconds to wait for an answer.

    Raises:
        BadSetting: it is no number above zero.

    >>> read_timeout("90")
    90.0
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < _LONGEST:
        raise BadSetting(f"model_timeout: {text}; expected seconds, a number above 0 and below {_LONGEST}")
    return seconds
