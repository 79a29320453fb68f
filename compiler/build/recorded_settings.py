"""The settings of a build as its folder keeps them, so that its drafts can be made again; no key is among them."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from catalog.load import BUILTIN
from compiler.build.scheduler import Settings

_PLAIN = ("domain", "embedder", "base_url", "syntax", "revisions", "author", "role", "careful")


def settings_json(settings: Settings, out: Path) -> dict[str, JsonValue]:
    """What of the settings is not as it is by itself; folders as seen from the build's own."""
    usual, kept = Settings(), dict[str, JsonValue]()
    for name in _PLAIN:
        if getattr(settings, name) != getattr(usual, name):
            kept[name] = getattr(settings, name)
    if settings.permissions is not None:
        kept["permissions"] = list(settings.permissions)
    if settings.catalogs:
        kept["catalogs"] = [_seen_from(out, one) for one in settings.catalogs]
    if settings.primers is not None:
        kept["primers"] = _seen_from(out, settings.primers)
    return kept


def settings_of(kept: Mapping[str, JsonValue], out: Path) -> Settings:
    """The settings that a build's folder keeps; what is missing is as it is by itself."""
    listed, permissions, primers = kept.get("catalogs"), kept.get("permissions"), kept.get("primers")
    found: dict[str, object] = {name: kept[name] for name in _PLAIN if name in kept}
    if isinstance(listed, list):
        found["catalogs"] = tuple(BUILTIN if one == BUILTIN else (out / str(one)).resolve() for one in listed)
    if isinstance(permissions, list):
        found["permissions"] = tuple(map(str, permissions))
    if isinstance(primers, str):
        found["primers"] = (out / primers).resolve()
    return Settings(**found)  # type: ignore[arg-type]


def path_from(out: Path, file: Path) -> str:
    """The way from a build's folder to a file; the whole path where there is none, as between two drives."""
    try:
        return Path(os.path.relpath(file, out.resolve())).as_posix()
    except ValueError:
        return file.as_posix()


def _seen_from(out: Path, folder: Path | str) -> str:
    return BUILTIN if folder == BUILTIN else path_from(out, Path(folder).resolve())
