"""What an installation says of the classes of fields: `[privacy]` in flowc.toml, checked whole.

The classes are told by concept, so that a field has the same one in every workflow, and by field where that is not
enough. Neither the language nor a published version knows them: they are the installation's, and may be tightened.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from ir.duration import duration_length
from ir.errors import BadSetting
from store.users import OPERATOR, OWNER, User

Class = Literal["public", "internal", "confidential", "personal"]
CLASSES: tuple[Class, ...] = get_args(Class)
"""From what anybody may see to what is deleted in the end."""
HIDDEN: tuple[Class, ...] = ("confidential", "personal")
"""What is masked for whoever has no role that reads it."""
READERS: Mapping[Class, frozenset[str]] = {
    "confidential": frozenset({OWNER, OPERATOR}), "personal": frozenset({OWNER}),
}  # fmt: skip
NOBODY = User("", frozenset())
_KEYS = ("default", "concepts", "fields", "readers", "keep_personal")


@dataclass(frozen=True)
class Privacy:
    """The classes of an installation.

    Args:
        concepts: by id of a concept.
        fields: by workflow and name of a field, `leave.reason`, or by node as well, `leave.ask.reason`.
        default: of fields of which nothing is said.
        readers: by class the roles that see its values.
        keep_personal: how long personal values are kept after a run ended; None for ever.
    """

    concepts: Mapping[str, Class] = field(default_factory=dict)
    fields: Mapping[str, Class] = field(default_factory=dict)
    default: Class = "internal"
    readers: Mapping[Class, frozenset[str]] = field(default_factory=lambda: READERS)
    keep_personal: str | None = None

    def hidden_from(self, user: User) -> frozenset[Class]:
        """The classes whose values a user may not see; who owns the workspace has the roles that are named, no more."""
        return frozenset(one for one in HIDDEN if user.roles.isdisjoint(self.readers.get(one, frozenset())))


def privacy_from(table: object, concepts: Collection[str]) -> Privacy:
    """What `[privacy]` says.

    Args:
        concepts: those that the catalog has.

    Raises:
        BadSetting: all that has no legal value.
    """
    if not isinstance(table, Mapping):
        raise BadSetting("privacy in flowc.toml is no table; write [privacy]")
    wrong = [*_faults(table, concepts)]
    if wrong:
        raise BadSetting("[privacy] in flowc.toml:\n" + "\n".join(f"- {one}" for one in wrong))
    readers = {name: frozenset(roles) for name, roles in table.get("readers", {}).items()}
    return Privacy(
        concepts=dict(table.get("concepts", {})),
        fields=dict(table.get("fields", {})),
        default=table.get("default", "internal"),
        readers={**READERS, **readers},
        keep_personal=table.get("keep_personal"),
    )


def _faults(table: Mapping[str, Any], concepts: Collection[str]) -> Iterator[str]:
    told = ", ".join(CLASSES)
    for name in table:
        if name not in _KEYS:
            yield f"{name}: there is no such setting; there is {', '.join(_KEYS)}"
    for name in ("concepts", "fields", "readers"):
        if not isinstance(table.get(name, {}), Mapping):
            yield f"{name} is no table; write [privacy.{name}]"
    given = {name: table[name] for name in ("concepts", "fields", "readers") if isinstance(table.get(name), Mapping)}
    classed = {f"{of}.{name}": one for of in ("concepts", "fields") for name, one in given.get(of, {}).items()}
    for name, one in {**classed, "default": table.get("default", "internal")}.items():
        if one not in CLASSES:
            yield f"{name} is {one!r}; there is {told}"
    for name in given.get("concepts", {}):
        if name not in concepts:
            yield f"concepts.{name}: the catalog has no such concept; `flowc catalog list` shows what there is"
    for name in given.get("fields", {}):
        if "." not in name.strip(".") or "" in name.split("."):
            yield f"fields.{name}: expected WORKFLOW.FIELD, or WORKFLOW.NODE.FIELD"
    for name, roles in given.get("readers", {}).items():
        if name not in HIDDEN:
            yield f"readers.{name}: only {' and '.join(HIDDEN)} values are hidden from anybody"
        if not isinstance(roles, list) or not all(isinstance(one, str) and one for one in roles):
            yield f'readers.{name} is {roles!r}; write a list of roles, as ["owner"]'
    keep = table.get("keep_personal")
    length = duration_length(keep) if isinstance(keep, str) else None
    if keep is not None and (length is None or length[1] == "business"):
        yield f"keep_personal is {keep!r}; write a length of time such as P3Y or P90D"
