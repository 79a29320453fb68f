"""The forms in which differences are told."""

from typing import Literal

from pydantic import JsonValue

from ir.base import Model
from ir.walk import RunStatus, Why
from validator.runs.example_runs import Run

Part = Literal[
    "workflow", "policy", "inputs", "outputs", "results", "triggers", "guards", "steps", "edges", "rules", "gaps",
    "provenance",
]  # fmt: skip
ChangeKind = Literal["added", "removed", "renamed", "rerouted", "changed"]
Verdict = Literal["same", "differs", "undecided"]


class Change(Model):
    """One thing that is not as it was.

    Args:
        part: where in the workflow it is; a gap that is added was opened, one that is removed was closed.
        name: of what: a node's id, an edge as `FROM→TO`, an input, a guard's error code; ids as in the new version.
        aspect: which of its fields, in dots (`inputs.cas_number`, `policy.timeout`, `evidence`); None for the whole.
        old, new: what stood and stands there; None where nothing did or does.
    """

    part: Part
    kind: ChangeKind
    name: str
    aspect: str | None = None
    old: JsonValue = None
    new: JsonValue = None


class TakenWay(Model):
    """The way that a run takes in one version.

    Args:
        path: the nodes that run, by the ids of that version.
        stopped_at: where the walk stopped undecided, and why; at the start where that is None.
    """

    path: tuple[str, ...]
    status: RunStatus
    reason_code: str | None = None
    stopped_at: str | None = None
    why: Why | None = None


class Example(Model):
    """Values for which the two versions choose differently.

    Args:
        values: by reference, what the conditions read; ids and units as in the new version.
        old_takes, new_takes: the nodes that follow; or one word in brackets where none does, as `[stops]`.
        run: a whole run with these values; None where none was found that comes there.
        old, new: the walks of that run.
        same_steps: whether the run takes other edges at the place, but runs the same steps and ends the same; so did
            every other run that was looked at.
    """

    values: dict[str, JsonValue]
    old_takes: tuple[str, ...]
    new_takes: tuple[str, ...]
    run: Run | None = None
    old: TakenWay | None = None
    new: TakenWay | None = None
    same_steps: bool = False


class ChoiceChange(Model):
    """A place where the way is chosen and whose edges or guards are not as they were.

    Args:
        at: the node, by its new id; None for the start, where guards are tried.
        on: for which outcome of the node.
        verdict: `same` where no values make the versions choose differently, so that only words changed; `undecided`
            where that was not found out.
        because: what the verdict rests on, where it is not the examples.
    """

    at: str | None
    on: Literal["success", "error"] = "success"
    verdict: Verdict
    because: str | None = None
    examples: tuple[Example, ...] = ()


class Judged(Model):
    """Values that rows of a rule pack judge otherwise.

    Args:
        values: by reference, what the rows read; ids and units as in the new version.
        old, new: what the rows that hold give, as `passed = true`; nothing where none holds.
    """

    values: dict[str, JsonValue]
    old: tuple[str, ...]
    new: tuple[str, ...]


class Judgement(Model):
    """A node that applies a rule pack whose rows, or what they read, are not as they were.

    Args:
        at: the node, by its new id.
        verdict: `same` where no values are judged otherwise; `undecided` where that was not found out.
        because: what the verdict rests on, where it is not the examples.
    """

    at: str
    pack: str
    verdict: Verdict
    because: str | None = None
    examples: tuple[Judged, ...] = ()


class UnitChange(Model):
    """A number that conditions read and that counts in another unit now.

    Args:
        because: why its values cannot be compared with those of before; None where they are converted.
    """

    ref: str
    old: str
    new: str
    because: str | None = None


class Difference(Model):
    """Two versions of a workflow, compared.

    Args:
        old, new: how each is called, such as its file.
        changes: of what it is made of; the order of nodes, edges, rows and keys is no change.
        choices: every place whose edges or guards changed, and whether that changes a choice.
        judgements: every node whose rows of a rule pack changed, and whether it judges otherwise.
        units: the numbers that conditions read in another unit now.
    """

    old: str
    new: str
    title: str
    changes: tuple[Change, ...] = ()
    choices: tuple[ChoiceChange, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    units: tuple[UnitChange, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing changed at all."""
        return not self.changes and not self.choices and not self.judgements


class Alone(Model):
    """A workflow that only one of two folders has.

    Args:
        file: its path in the folder.
    """

    file: str
    workflow_id: str
    title: str | None = None


class Comparison(Model):
    """Two files or two folders, compared.

    Args:
        differences: of each pair of workflows, those without any too.
        added, removed: the workflows that only the new, or only the old folder has.
    """

    differences: tuple[Difference, ...]
    added: tuple[Alone, ...] = ()
    removed: tuple[Alone, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing changed at all."""
        return not self.added and not self.removed and all(one.same for one in self.differences)
