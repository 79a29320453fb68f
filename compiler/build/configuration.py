"""Settings: flags over environment over flowc.toml over defaults, and which of them won."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from catalog.load import BUILTIN
from compiler.build.endpoints import UntrustedEndpoint, is_trusted
from ir.errors import BadSetting
from llm.address import check_address, check_key, origin, shown_address
from validator.suggest import did_you_mean, nearest
from validator.suppressions import Rules, read_rules

FILE = "flowc.toml"
FILE_VARIABLE = "FLOWC_CONFIG"
RULES = "diagnostics"
"""The table of flowc.toml that holds decisions about findings."""
EXECUTORS = "executors"
"""The table that says who carries out the nodes of a run; read by what runs them."""
OF_RUNS = (EXECUTORS, "agents", "calendar", "escalation", "privacy", "webhooks")
"""The tables that are read by what runs workflows."""
HIDDEN = "(set, not shown)"
Kind = Literal["folder", "catalogs", "list", "text", "secret", "count"]
SEVERAL = "\n"
"""Between the items of a setting that has several."""
SEVERAL_KINDS = ("catalogs", "list")
_TEXTS = "text in quotes, or several in brackets"


@dataclass(frozen=True)
class Known:
    """A setting that there is.

    Args:
        flag: the flag that sets it; None where no flag does.
        variables: environment variables that set it, the first that is set wins.
        meaning: what it does, in a few words.
    """

    name: str
    kind: Kind
    flag: str | None
    variables: tuple[str, ...]
    meaning: str
    default: str | None = None


KNOWN = (
    Known("catalog", "catalogs", "--catalog", ("FLOWC_CATALOG",), "catalogs of Node Types: folders, or builtin"),
    Known("domain", "text", "--domain", ("FLOWC_DOMAIN",), "only Node Types of this business domain and of any"),
    Known("permissions", "list", "--permission", ("FLOWC_PERMISSIONS",), "only Node Types that need no more"),
    Known("primers", "folder", "--primers", ("FLOWC_PRIMERS",), "folder of other primers"),
    Known("embedder", "text", "--embedder", ("FLOWC_EMBEDDER",), "what gives texts their meaning in search", "default"),
    Known("model", "text", "--model", ("FLOWC_MODEL",), "language model that reads the documents"),
    Known(
        "base_url",
        "text",
        "--base-url",
        ("FLOWC_BASE_URL", "OPENAI_BASE_URL"),
        "endpoint of the model and of an openai:MODEL embedder",
    ),
    Known("model_options", "text", None, ("FLOWC_MODEL_OPTIONS",), "further fields of each request to it, as JSON"),
    Known("model_timeout", "text", None, ("FLOWC_MODEL_TIMEOUT",), "seconds to wait for one of its answers", "300"),
    Known("api_key", "secret", None, ("FLOWC_API_KEY", "OPENAI_API_KEY"), "key for that endpoint"),
    Known("concurrency", "count", "--jobs", ("FLOWC_CONCURRENCY",), "requests to the model at a time", "8"),
    Known("requests_per_minute", "count", None, ("FLOWC_REQUESTS_PER_MINUTE",), "requests to the model in a minute"),
    Known("tokens_per_minute", "count", None, ("FLOWC_TOKENS_PER_MINUTE",), "tokens to and from the model in a minute"),
)
OTHER_VARIABLES = frozenset({FILE_VARIABLE, "FLOWC_PROGRESS", "FLOWC_TRACEBACK"})


@dataclass(frozen=True)
class Setting:
    """One setting as it holds.

    Args:
        value: None where nothing sets it.
        source: the flag, the variable or the file that won, or `default`.
    """

    known: Known
    value: str | None = field(repr=False)
    source: str

    @property
    def shown(self) -> str | None:
        """The value as it may be printed: a secret is not, nor what is secret in an address."""
        if self.known.name == "base_url" and self.value is not None:
            return shown_address(self.value)
        if self.known.kind in SEVERAL_KINDS and self.value is not None:
            return ", ".join(self.value.split(SEVERAL))
        return HIDDEN if self.known.kind == "secret" and self.value is not None else self.value


@dataclass(frozen=True)
class Configuration:
    """All settings.

    Args:
        settings: by name.
        file: the flowc.toml that was read, None where there is none.
        notices: what the person should know, such as a variable that sets nothing.
        named: whether somebody named that file; else it lay in the working directory or above it.
        rules: what flowc.toml says about findings; `flowc validate` goes by it.
    """

    settings: Mapping[str, Setting]
    file: Path | None = None
    notices: tuple[str, ...] = ()
    rules: Rules = field(default_factory=Rules)
    named: bool = False

    def text(self, name: str) -> str | None:
        """The value of a setting."""
        return self.settings[name].value

    def key(self, *, sent: bool = True) -> str | None:
        """The key for the endpoint; None where none is set.

        Args:
            sent: whether something is asked there; else there is no key to be given away.

        Raises:
            BadSetting: address or key are none.
            UntrustedEndpoint: a file that was found names the address, and nobody has said that a key may go there.
        """
        address, key = self.settings["base_url"], self.settings["api_key"]
        if not sent:
            return None
        if address.value is not None:
            check_address(address.value, address.source)
        if key.value is not None:
            check_key(key.value, key.source)
        found = self.file is not None and not self.named and address.source == str(self.file)
        if found and key.value is not None and address.value is not None and not is_trusted(address.value):
            raise UntrustedEndpoint(
                f"{self.file} has the key of {key.source} sent to {shown_address(address.value)}, and nobody has said "
                f"that it may\nif you trust it: flowc config --trust {origin(address.value)}; "
                "else name yours with --base-url"
            )
        return key.value

    def embedder_key(self) -> str | None:
        """The key for the embedder, where it asks the endpoint; raises as `key`."""
        return self.key(sent=(self.text("embedder") or "").startswith("openai:"))

    def folder(self, name: str) -> Path | None:
        """The value of a setting that is a folder."""
        value = self.settings[name].value
        return None if value is None else Path(value)

    def items(self, name: str) -> tuple[str, ...] | None:
        """The values of a setting that has several; None where nothing sets it."""
        value = self.settings[name].value
        return None if value is None else tuple(one for one in value.split(SEVERAL) if one)

    def count(self, name: str) -> int | None:
        """The value of a setting that is a number."""
        value = self.settings[name].value
        return None if value is None else int(value)

    def is_set(self, name: str) -> bool:
        """Whether somebody set it."""
        return self.settings[name].value is not None and self.settings[name].source != "default"


def configure(
    flags: Mapping[str, str | Sequence[str] | None], environment: Mapping[str, str], start: Path
) -> Configuration:
    """Gather the settings.

    Args:
        flags: by name of the setting; None where the flag was not given.
        environment: environment variables; empty ones count as not set.
        start: folder in which, or above which, flowc.toml is looked for, unless `FLOWC_CONFIG` names a file.

    Raises:
        BadSetting: a value is not legal or flowc.toml is malformed; the message says where it was set.
    """
    file = _file(environment, start)
    written, rules = _read_settings_file(file) if file else ({}, Rules())
    settings = {known.name: _settle(known, flags, environment, written, file) for known in KNOWN}
    named = bool(environment.get(FILE_VARIABLE))
    return Configuration(settings, file, tuple(_unknown_variables(environment)), rules, named)


def _settle(
    known: Known,
    flags: Mapping[str, str | Sequence[str] | None],
    environment: Mapping[str, str],
    written: Mapping[str, str],
    file: Path | None,
) -> Setting:
    setting = Setting(known, known.default, "default")
    variable = next((name for name in known.variables if environment.get(name)), None)
    flag = flags.get(known.name)
    if flag:
        setting = Setting(known, flag if isinstance(flag, str) else SEVERAL.join(flag), known.flag or known.name)
    elif variable:
        setting = Setting(known, _separated(known, environment[variable]), variable)
    elif known.name in written and file:
        setting = Setting(known, _beside(known, written[known.name], file), str(file))
    _check(setting)
    return setting


def _separated(known: Known, value: str) -> str:
    """The value of a variable; of several, folders are separated as in PATH, others by commas."""
    if known.kind not in SEVERAL_KINDS:
        return value
    parts = value.split(os.pathsep if known.kind == "catalogs" else ",")
    return SEVERAL.join(part.strip() for part in parts if part.strip())


def _beside(known: Known, value: str, file: Path) -> str:
    """The value that a file gives; folders in it are relative to it."""
    if known.kind == "folder":
        return str(file.parent / Path(value).expanduser())
    if known.kind == "catalogs":
        return SEVERAL.join(
            one if one == BUILTIN else str(file.parent / Path(one).expanduser()) for one in value.split(SEVERAL)
        )
    return value


def _check(setting: Setting) -> None:
    value = setting.value
    if value is None:
        return
    if not value.strip() and setting.known.kind != "list":
        raise BadSetting(f"{setting.source}: {setting.known.name} is empty; give a value or leave it out")
    if setting.known.kind in ("folder", "catalogs"):
        for folder in value.split(SEVERAL):
            _check_folder(setting, folder)
    if setting.known.kind == "count" and not (value.isascii() and value.isdigit() and int(value) > 0):
        raise BadSetting(f'{setting.source}: {setting.known.name} is "{value}"; expected a whole number above 0')
    if setting.known.name == "embedder":
        _check_embedder(setting, value)


def _check_folder(setting: Setting, folder: str) -> None:
    several = setting.known.kind == "catalogs"
    if (several and folder == BUILTIN) or Path(folder).is_dir():
        return
    what = "is a file" if Path(folder).exists() else "does not exist"
    expected = "a folder of another catalog of Node Types, or builtin" if several else f"the {setting.known.meaning}"
    raise BadSetting(f"{setting.source}: {folder} {what}; expected {expected}")


def _check_embedder(setting: Setting, value: str) -> None:
    """Refuse a name that no embedder can have; whether the embedder works shows only in use."""
    from catalog.embedders.load import NAMES

    kind, _, rest = value.partition(":")
    if value in ("default", "lexical") or (kind in ("openai", "sentence-transformers") and rest):
        return
    if not Path(value).expanduser().is_dir():
        near = nearest(kind, ["default", "lexical", "openai", "sentence-transformers"])
        hint = f'; did you mean "{near}"?' if near and near != kind else ""
        raise BadSetting(f'{setting.source}: "{value}" is no embedder{hint}; expected {NAMES}')


def _file(environment: Mapping[str, str], start: Path) -> Path | None:
    named = environment.get(FILE_VARIABLE)
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise BadSetting(f"{FILE_VARIABLE}: {named} is no file; name a file of settings or unset the variable")
        return path
    folders = (start, *start.parents)
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)


def _read_settings_file(file: Path) -> tuple[dict[str, str], Rules]:
    """The settings that a file gives, and what it says about findings.

    Raises:
        BadSetting: it is no TOML, has an unknown key or a value that is no text, or holds a secret.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(f"{file}: cannot be read: {error.strerror}; check its permissions") from error
    except (ValueError, RecursionError) as error:
        raise BadSetting(f"{file}: not valid TOML: {str(error)[:200]}; correct the file") from error
    known = {item.name: item for item in KNOWN}
    rules = read_rules(content.pop(RULES, {}), str(file))
    for table in OF_RUNS:
        content.pop(table, None)
    settings: dict[str, str] = {}
    for name, value in content.items():
        if name not in known:
            raise BadSetting(f'{file}: unknown setting "{name}"{did_you_mean(name, [*known, RULES, *OF_RUNS])}')
        if known[name].kind == "secret":
            advice = f"set {known[name].variables[-1]} instead; files are shared and committed"
            raise BadSetting(f'{file}: "{name}" does not belong in a file; {advice}')
        if known[name].kind == "count" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if known[name].kind in SEVERAL_KINDS and isinstance(value, list) and all(isinstance(v, str) for v in value):
            value = SEVERAL.join(value)
        if not isinstance(value, str):
            expected = {"count": "a whole number above 0", "catalogs": _TEXTS, "list": _TEXTS}.get(known[name].kind)
            expected = expected or "text in quotes"
            raise BadSetting(f'{file}: "{name}" is {value!r}; expected {expected}')
        settings[name] = value
    return settings, rules


def _unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Notices of FLOWC_ variables that set nothing: most are misspelt."""
    known = OTHER_VARIABLES | {variable for item in KNOWN for variable in item.variables}
    strays = sorted(name for name in environment if name.startswith("FLOWC_") and name not in known)
    near = {name: nearest(name, sorted(known)) for name in strays}
    return [
        f"the environment variable {name} sets nothing" + (f"; did you mean {near[name]}?" if near[name] else "")
        for name in strays
    ]
