"""What a run is: the stepper, the walk that drives it with what is recorded, and how a node chooses.

`start` begins a run, `Run.take` gives the run after an outcome, `state_of` and `resume` store it and bring it back.
"""

from ir.walk.choice import OpenChoice, Why, choose, choose_among, edges_without_test, rank
from ir.walk.forms import EdgeState, Given, NodeState, Performer, Ready, RunStatus, Step, Undecided, WalkResult
from ir.walk.order import in_order, topological_order
from ir.walk.outcome import ERROR_KEY, Outcome, RecordedOutput
from ir.walk.replay import Walk, walk
from ir.walk.rules import outcome_by_rules, rules_outcome, rules_that_hold
from ir.walk.run import Run, performer, start
from ir.walk.state import RunState, StateMismatch, TakenOutcome, resume, state_of

__all__ = [
    "ERROR_KEY",
    "EdgeState",
    "Given",
    "NodeState",
    "OpenChoice",
    "Outcome",
    "Performer",
    "Ready",
    "RecordedOutput",
    "Run",
    "RunState",
    "RunStatus",
    "StateMismatch",
    "Step",
    "TakenOutcome",
    "Undecided",
    "Walk",
    "WalkResult",
    "Why",
    "choose",
    "choose_among",
    "edges_without_test",
    "in_order",
    "outcome_by_rules",
    "performer",
    "rank",
    "resume",
    "rules_outcome",
    "rules_that_hold",
    "start",
    "state_of",
    "topological_order",
    "walk",
]
