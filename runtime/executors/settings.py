"""What executors are told in `flowc.toml`: read whole when it is loaded, by a form of each kind."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from ir.base import Model
from ir.codec import read_form
from runtime.executors.contract import Call, ExecutorFault


class Settings(Model):
    """What every executor may be told.

    Args:
        allow: for whom it is called, where its Type asks for a list.
    """

    kind: str = ""
    allow: tuple[str, ...] = ()


Form = TypeVar("Form", bound=Settings)


def settled(
    form: type[Form], given: Mapping[str, Any], root: Path = Path(), paths: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Settings that were read, those that are paths made whole.

    Args:
        root: the folder that paths are relative to.
        paths: the names of those settings.

    Raises:
        ValueError: all that is wrong with them.
    """
    try:
        raw = json.loads(json.dumps(dict(given)))
    except TypeError as error:
        raise ValueError(str(error)) from error
    whole = {name: str(root.absolute() / raw[name]) for name in paths if isinstance(raw.get(name), str)}
    read, faults = read_form(form, {**raw, **whole})
    if read is None:
        raise ValueError("; ".join(f"{one.location.pointer}: {one.message}".lstrip("/: ") for one in faults))
    return {**raw, **whole}


def settings_of(form: type[Form], call: Call) -> Form:
    """The settings of a call.

    Raises:
        ExecutorFault: they are not as they should be.
    """
    read, faults = read_form(form, dict(call.settings))
    if read is None:
        told = "; ".join(one.message for one in faults)
        raise ExecutorFault("BAD_SETTING", f"the executor of {call.type} in flowc.toml: {told}", made=False)
    return read


def secret(name: str) -> str:
    """What the environment holds under a name.

    Raises:
        ExecutorFault: it holds nothing.
    """
    found = os.environ.get(name, "")
    if not found:
        raise ExecutorFault("NO_SECRET", f"the environment has no {name}", made=False)
    return found
