"""Ids of procedures, made of titles, told apart where titles are alike."""

from collections.abc import Iterable

from ir.procedure import Procedure


def named_apart(procedures: Iterable[Procedure], taken: set[str]) -> list[Procedure]:
    """The procedures with ids of their own: two of one title would else share one.

    Args:
        taken: ids that others have; those of these procedures are added to it.
    """
    kept = []
    for procedure in procedures:
        name, number = procedure.id, 2
        while name in taken:
            name, number = f"{procedure.id}-{number}", number + 1
        taken.add(name)
        kept.append(procedure if name == procedure.id else procedure.model_copy(update={"id": name}))
    return kept
