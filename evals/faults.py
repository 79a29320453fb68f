"""Whether nothing is lost when what surrounds a build fails: the endpoint, the process, the disk.

With `--kill` and `--end` processes are ended (`evals.kills`), with `--full-disk` the disk fills up (`evals.full_disk`),
with `--hostile` the documents are made to do harm (`evals.hostile`).
Else: whether nothing is lost, repeated or waited for too long at an endpoint that is overloaded, fails and breaks off.
A stub with latency and faults is asked about policies made for it, by the real client with a fresh cache. The time
may be at most 1.25 times that of all attempts at full concurrency, beside that of the same build without latency and
faults. Search goes by letters alone, since it is no part of the matter.
"""

import argparse
import hashlib
import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiler.build.builder import compile_documents
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from evals.chat_stub import Answer, Stub, serving
from evals.full_disk import Filled, fill_disk
from evals.hostile import HostileBuilds, compile_hostile
from evals.kills import EndedBuilds, end_builds, resume_after_kill
from evals.stub_reader import answer_to, write_policies
from ir.codec import write_json
from llm import ModelChoice
from llm.limits import Limits

SLACK = 1.25


@dataclass
class Faulty:
    """Answers after a time, or fails; how, hangs on the seed, the question and how often it came, not on the order.

    Args:
        latency: seconds, of failures too.
        rate_limited, failing, cut: shares of HTTP 429, of HTTP 500, of answers broken off in the middle.
    """

    latency: float
    rate_limited: float
    failing: float
    cut: float
    seed: int
    _came: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, body: dict[str, Any], number: int) -> Answer:
        """What becomes of a request."""
        key = _key(body)
        with self._lock:
            self._came[key] += 1
            luck = random.Random(f"{self.seed} {key} {self._came[key]}").random()  # noqa: S311 - no secret
        time.sleep(self.latency)
        if luck < self.rate_limited:
            return Answer(status=429, headers={"Retry-After": "0"})
        if luck < self.rate_limited + self.failing:
            return Answer(status=500)
        answer = answer_to(body)
        return Answer(answer.text, answer.tool, broken=luck < self.rate_limited + self.failing + self.cut)


@dataclass(frozen=True)
class Outcome:
    """What a build at a faulty endpoint came to.

    Args:
        lost: documents that no model read, or whose draft is not that of the build without faults.
        repeated: requests that came again after their whole answer had been sent.
        seconds, undisturbed: of the build, and of those without latency and faults before and after it, on average.
    """

    documents: int
    lost: tuple[str, ...]
    attempts: int
    repeated: int
    seconds: float
    undisturbed: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether all is as it should be."""
        return not self.lost and not self.repeated and self.seconds <= self.bound


def endure(documents: int, concurrency: int, faulty: Faulty, work: Path) -> Outcome:
    """Compile policies at an endpoint without faults and at a faulty one.

    Args:
        work: an empty folder for policies and caches.
    """
    write_policies(work / "policies", documents)
    write_policies(work / "first", 1)
    smooth = Faulty(0, 0, 0, 0, 0)
    with serving(smooth) as stub:
        _compiled(work / "first", stub, work / "cache-0", concurrency)  # loads what any build loads
        reference, before = _compiled(work / "policies", stub, work / "cache-1", concurrency)
    with serving(faulty) as stub:
        build, seconds = _compiled(work / "policies", stub, work / "cache-2", concurrency)
    attempts = len(stub.requests)
    with serving(smooth) as smooth_stub:
        _, after = _compiled(work / "policies", smooth_stub, work / "cache-3", concurrency)
    undisturbed = (before + after) / 2  # a machine that others use is not the same for long
    bound = SLACK * attempts * faulty.latency / concurrency + undisturbed
    expected, found = _drafts(reference), _drafts(build)
    names = [result.doc_id for result in build.documents]
    lost = tuple(name for name in names if not found.get(name) or found[name] != expected.get(name))
    return Outcome(documents, lost, attempts, len(stub.repeated), seconds, undisturbed, bound)


def _compiled(policies: Path, stub: Stub, cache: Path, concurrency: int) -> tuple[Build, float]:
    choice = ModelChoice(
        "stub", base_url=stub.url, api_key="none", kept=cache, limits=Limits(concurrency=concurrency)
    )  # fmt: skip
    started = time.perf_counter()
    build = compile_documents([policies], Settings(embedder="lexical", model=choice))
    return build, time.perf_counter() - started


def _drafts(build: Build) -> dict[str, list[str]]:
    """The drafts of the documents that a model read."""
    found: dict[str, list[str]] = {}
    for one in build.procedures:
        if one.workflow.provenance is not None and one.workflow.provenance.mode == "model":
            found.setdefault(one.procedure.doc_id, []).append(write_json(one.workflow))
    return found


def _key(body: dict[str, Any]) -> str:
    """What tells one request from another."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def main() -> int:
    """Print what held."""
    parser = argparse.ArgumentParser(prog="python -m evals.faults", description=__doc__)
    parser.add_argument("--documents", type=int, help="by default 100, of builds on a full disk or that are ended, 12")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds of each answer and each failure")
    parser.add_argument("--rate-limited", type=float, default=0.2, help="share of HTTP 429 with Retry-After: 0")
    parser.add_argument("--failing", type=float, default=0.05, help="share of HTTP 500")
    parser.add_argument("--cut", type=float, default=0.02, help="share of answers that break off in the middle")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kill", action="store_true", help="end the compiler with SIGKILL halfway and begin again")
    parser.add_argument("--full-disk", type=int, metavar="N", help="a disk that is full from the nth write on, up to N")
    parser.add_argument("--end", type=int, metavar="N", help="end builds of two jobs at N moments with each signal")
    parser.add_argument("--signals", default="SIGTERM,SIGKILL,SIGINT")
    parser.add_argument("--hostile", action="store_true", help="a folder of hostile inputs, in several locales")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if args.hostile:
            hostile = compile_hostile(work)
            lines, holds = _hostile_lines(hostile), hostile.holds
        elif args.full_disk:
            lines, holds = _filled_lines(fill_disk(args.documents or 12, range(1, args.full_disk + 1), work))
        elif args.end:
            names = args.signals.split(",")
            builds = end_builds(args.documents or 12, args.end, 2, args.seed, work, signals=names)
            lines, holds = _ended_lines(builds), builds.holds
        elif args.kill:
            resume = resume_after_kill(args.documents or 100, args.latency, args.concurrency, work)
            lines, holds = _resume_lines(resume.answered, resume.asked_again, resume.same), resume.holds
        else:
            faulty = Faulty(args.latency, args.rate_limited, args.failing, args.cut, args.seed)
            found = endure(args.documents or 100, args.concurrency, faulty, work)
            lines, holds = _lines(found), found.holds
    print("\n".join([*lines, "holds" if holds else "does not hold"]))  # noqa: T201
    return 0 if holds else 1


def _lines(found: Outcome) -> list[str]:
    return [
        f"documents read by the model, with the same draft   {found.documents - len(found.lost)} of {found.documents}",
        *(f"  lost: {name}" for name in found.lost),
        f"attempts                                           {found.attempts}",
        f"repeated after a whole answer                      {found.repeated}",
        f"seconds without latency and faults                 {found.undisturbed:.1f}",
        f"seconds                                            {found.seconds:.1f}, at most {found.bound:.1f}",
    ]


def _resume_lines(answered: int, again: int, same: bool) -> list[str]:
    return [
        f"requests answered before the end   {answered}",
        f"of these asked again               {again}",
        f"the build is the undisturbed one   {'yes' if same else 'no'}",
    ]


def _filled_lines(found: list[Filled]) -> tuple[list[str], bool]:
    reached = [one for one in found if one.reached]
    kept = sum(one.standing == "earlier" for one in reached)
    lines = [
        f"builds with a full disk                {len(reached)} of {len(found)}",
        f"the earlier build whole                {kept}",
        f"the new build whole                    {sum(one.standing == 'new' for one in reached)}",
        f"a part, rubbish or a wrong status      {sum(not one.holds for one in found)}",
    ]
    wrong = [one for one in found if not one.holds]
    lines += [f"  {one.nth}: {one.standing}, status {one.status}, {one.beside}: {one.said[:300]}" for one in wrong]
    return lines, not wrong and len(reached) > 0


def _ended_lines(found: EndedBuilds) -> list[str]:
    ended = found.ended
    lines = [
        f"builds ended                           {len(ended)}, {sum(one.writing for one in ended)} while writing",
        f"the earlier build whole                {sum(one.standing == 'earlier' for one in ended)}",
        f"the new build whole                    {sum(one.standing == 'new' for one in ended)}",
        f"a part of a build                      {sum(one.standing == 'broken' for one in ended)}",
        f"processes left after 5 s               {sum(len(one.left) for one in ended)}",
        f"output held open after 5 s             {sum(one.held for one in ended)}",
        f"seconds until the last process ended   {max(one.seconds for one in ended):.1f} at most",
        f"begun again, the new build alone       {'yes' if found.resumed else 'no'}",
    ]
    wrong = [one for one in ended if not one.holds]
    return lines + [f"  {one.signal} at {one.moment:.2f} s: {one.standing}, left {list(one.left)}" for one in wrong]


def _hostile_lines(found: HostileBuilds) -> list[str]:
    return [
        f"inputs                                 {sum(found.codes.values())}",
        *(f"  {code:<37}{number}" for code, number in found.codes.items()),
        f"lost                                   {len(found.lost)}",
        f"stumbled over                          {len(found.stumbled)}",
        *(f"  {name}" for name in (*found.lost, *found.stumbled)),
        f"slowest                                {found.slowest[0]}, {found.slowest[1]:.1f} s",
        *(f"{name:<39}{spent:.0f} s" for name, spent in found.places.items()),
        *(f"files that differ, {name}: {len(files)} {' '.join(files[:5])}" for name, files in found.different.items()),
    ]


if __name__ == "__main__":
    sys.exit(main())
