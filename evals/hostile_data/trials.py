"""What is done with hostile data, and what became of it: a code, or a finding."""

import gc
import json
import os
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from pydantic import ValidationError

from catalog.errors import CatalogError
from catalog.load import load_catalog
from compiler.build.builder import compile_documents
from compiler.build.configuration import FILE, configure
from compiler.build.folder import write_build
from compiler.build.results import Build
from compiler.build.scheduler import Settings
from compiler.extract.model.fence import numbered
from compiler.parsers.worker import parse_apart as parse
from evals.fuzz import ended_after
from evals.generate.broken_values import broken_text
from evals.hostile_data.memory import peak, reset_peak
from evals.hostile_data.values import Drawing, Words
from ir.codec import read_form, read_json
from ir.decisions.decision import read_decisions
from ir.errors import CompilerError
from ir.procedure import Procedure
from llm import ModelFault, OpenedModel, Reply, Request, Usage
from llm.answered import Unusable
from llm.budget import Accounts, Budget
from llm.prices import load_prices
from llm.protocol import schema_of
from llm.recording import Recording, read_answer

SECONDS, BYTES = 5.0, 300 * 2**20
"""Of the processor, and of memory, that one piece of data may take."""
POLICIES = {
    "purchases.md": """# Purchases

1. The buyer shall send the request to Finance within 3 days.

2. Finance shall check the request. If the amount exceeds CNY 50,000, the director must approve it; otherwise the clerk
files it.

3. Urgent requests must not be paid in cash.

| kind | limit |
| --- | --- |
| travel | 5,000 |
| books | 300 |
""",
    "报销办法.md": """# 报销办法

第一条 员工应当在5个工作日内将报销单提交财务部。

第二条 财务部应当审核报销单。金额超过5万元的，由总经理审批；未超过的，由部门主管审批。

第三条 审批未通过的，退回员工。不得使用现金支付。
""",
}


_NESTED = [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghi")]
_BOMBS = (
    "\n".join(["a: &a [x]", *_NESTED]), "&a [*a]", "a: &a {b: *a}", "[" * 3000, "- " * 3000, "a: 0x" + "f" * 5000,
    "!!python/object/apply:os.system [id]", "? {a: 1}\n: 2", "<<: *a", "a: 1\na: 2", "2026-99-99", ": :", "\t",
    "a: .nan", "a: " + "9" * 5000,
)  # fmt: skip

FILLING = "The register says where each folder lies and who has had it so far. " * 14


@dataclass(frozen=True)
class Trial:
    """What became of one piece of data.

    Args:
        came: `taken`, `refused` with a code, `crashed`, `late` or `large`.
        seconds: of the processor.
        size: bytes that it took at most.
        trace: of the crash.
    """

    kind: str
    number: int
    came: str
    seconds: float
    size: int
    trace: str = ""

    @property
    def holds(self) -> bool:
        """Whether it came to what it should."""
        return self.came in ("taken", "refused")


class Stumbled(Exception):  # noqa: N818 - named for the fault
    """A build has a finding that says that flowc stumbled."""


@dataclass
class HostileModel:
    """Answers whatever is asked with what fits the form and means no good."""

    rng: Random
    words: Words
    name: str = "hostile@host"

    def answer(self, request: Request) -> Reply:
        """See `Model.answer`."""
        drawing = Drawing(self.rng, schema_of(request.form), self.words, self.rng.choice([0.5, 0.9, 1.0]))
        text = json.dumps(drawing.value())
        try:
            value = read_answer(request.form, text)
        except (ValidationError, Unusable) as error:
            raise ModelFault("malformed", str(error)[:200]) from None
        return Reply(value, text, Usage(1, 1), "hostile", "json_schema")


def trials(count: int, seed: int, work: Path, first: int = 0) -> Iterator[Trial]:
    """Data of every kind, one after the other.

    Args:
        work: an empty folder.
        first: the number of the first; each number with a seed always gives the same data.
    """
    for name, text in POLICIES.items():
        (work / name).write_text(text, encoding="utf-8")
    for number in range(first, first + count):
        rng = Random(f"{seed} {number}")  # noqa: S311 - no secret
        kind = KINDS[number % len(KINDS)]
        yield tried(kind.__name__.strip("_"), number, lambda rng=rng, kind=kind: kind(rng, work))  # type: ignore[misc]


def tried(kind: str, number: int, attempt: Callable[[], bool]) -> Trial:
    """Do something that takes hostile data.

    Args:
        attempt: gives whether the data was taken; raises what it should not.
    """
    gc.collect()  # what is freed on the way would be taken off what the attempt takes
    before, started, trace = reset_peak(), time.process_time(), ""
    try:
        with ended_after(60 * SECONDS), _with_traces():  # of the wall: a busy machine is no finding
            came = "taken" if attempt() else "refused"
    except Exception:  # noqa: BLE001 - any is a finding
        came, trace = "crashed", traceback.format_exc()
    seconds, size = time.process_time() - started, peak() - before
    if came != "crashed":
        came = "late" if seconds > SECONDS else "large" if size > BYTES else came
    return Trial(kind, number, came, seconds, size, trace)


@contextmanager
def _with_traces() -> Iterator[None]:
    """Bugs of flowc end with their trace in place of a diagnostic."""
    before = os.environ.get("FLOWC_TRACEBACK")
    os.environ["FLOWC_TRACEBACK"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["FLOWC_TRACEBACK"]
        else:
            os.environ["FLOWC_TRACEBACK"] = before


# --- kinds ------------------------------------------------------------------------------------------------------------


def _answer(rng: Random, work: Path) -> bool:
    """Answers of a model to all that is asked; some documents are outlined first, some read twice."""
    name = rng.choice(list(POLICIES))
    model = HostileModel(rng, _words(name))
    opened = OpenedModel(model, Accounts(Budget(None, None)))
    settings = Settings(embedder="lexical", model=opened, syntax=False, fallback=rng.random() < 0.2)
    settings = replace(settings, careful=rng.random() < 0.2)
    file = work / name
    if rng.random() < 1 / 6:
        file = work / f"long-{name}"
        file.write_text(
            POLICIES[name] + "\n" + "".join(f"\n## {n}\n\n{FILLING}\n" for n in range(12)), encoding="utf-8"
        )
    return _built(compile_documents([file], settings), rng, work)


def _correction(rng: Random, work: Path) -> bool:
    """Procedures that a person put in."""
    name = rng.choice(list(POLICIES))
    drawing = Drawing(rng, schema_of(Procedure), _words(name), rng.choice([0.9, 1.0]))
    if rng.random() < 0.7:
        drawing.tame = 0.4
        raw = drawing.changed(rng.choice(_procedures(work / name)), share=rng.choice([0.003, 0.01, 0.05]))
    else:
        raw = drawing.value() | {"id": "p"}
    raw |= {"doc_id": name, "language": "zh" if name.startswith("报") else "en"}
    text = json.dumps(_fitted(raw, rng)) if rng.random() < 0.9 else broken_text(rng, [raw])
    read, faults = read_json(text)
    procedure, more = (None, ()) if faults else read_form(Procedure, read)
    if procedure is None:
        assert faults or more, "refused without a diagnostic"
        return False
    settings = Settings(embedder="lexical", syntax=False, author="somebody")
    try:
        return _built(compile_documents([work / name], settings, procedures=[procedure]), rng, work)
    except CompilerError:
        return False


def _recording(rng: Random, work: Path) -> bool:
    """A file of recorded answers, or of the cache."""
    from compiler.extract.model.form import Extraction

    folder = Recording(work / "replies")
    request = Request("extract", "d#1", (("system", "s"), ("user", "u")), Extraction)
    value = Extraction(procedures=[])
    folder.put(request, Reply(value, value.model_dump_json(), Usage(1, 1), "m", "json_schema"))
    (file,) = folder.folder.glob("extract-*.json")
    right = json.loads(file.read_text())
    file.write_text(_text(broken_text(rng, [right])), encoding="utf-8")
    found = folder.get(request)
    folder.why_not_recorded(request)
    return found is not None


def _prices(rng: Random, work: Path) -> bool:
    """A file of prices."""
    right = {"as_of": "2026-01-01", "models": {"m": {"sent": 1.0, "received": 2}}}
    return _refused(load_prices, _file(rng, work / "prices.yaml", right))


def _settings(rng: Random, work: Path) -> bool:
    """A flowc.toml."""
    right = (
        'base_url = "http://h/v1"',
        "concurrency = 3",
        'model_timeout = "9"',
        'embedder = "lexical"',
        "[diagnostics]",
    )
    lines = [rng.choice(right) for _ in range(rng.randint(1, 4))]
    value = rng.choice(
        ["1", '""', '"\\u0000"', "[[[]]]", "{a = {b = 1}}", "1e400", "9" * 5000, "nan", "2026-01-01", "[" * 3000]
    )
    lines.append(
        f"{rng.choice(['model', 'catalog', 'concurrency', 'severity', 'ignore', 'x', '[diagnostics'])} = {value}"
    )
    lines = list(dict.fromkeys(lines if rng.random() < 0.8 else lines[:-1]))
    (work / FILE).write_text(_scratch(rng, "\n".join(lines)), encoding="utf-8")

    def read(folder: Path) -> None:
        found = configure({}, {}, folder)
        [str(one.shown) for one in found.settings.values()]
        with suppress(CompilerError):
            found.key()

    return _refused(read, work)


def _catalog(rng: Random, work: Path) -> bool:
    """A catalog of one Type and one file of concepts."""
    from importlib.resources import files

    import yaml

    home, folder = Path(str(files("catalog"))), work / "catalog"
    for part, below in (("node_types", "notify/email.yaml"), ("concepts", "organisation.yaml")):
        source = home / part / below
        if not source.is_file():
            source = next((home / part).rglob("*.yaml"))
        target = folder / source.relative_to(home)
        target.parent.mkdir(parents=True, exist_ok=True)
        if rng.random() < 0.7:
            _file(rng, target, yaml.safe_load(source.read_text("utf-8")))
        else:
            target.write_bytes(source.read_bytes())
    return _refused(load_catalog, folder)


def _decisions(rng: Random, work: Path) -> bool:
    """A file of decisions."""
    right = {
        "kind": "accept", "subject": "question", "author": "a", "time": "2026-01-01T00:00:00Z", "reason": "r",
        "anchor": {"doc_id": "purchases.md", "text": "Finance shall check the request", "block": "s1"}, "value": [1],
    }  # fmt: skip
    drawing = Drawing(rng, {}, tame=0.3)
    lines = (drawing.changed(right, share=0.2) if rng.random() < 0.6 else None for _ in range(rng.randint(1, 4)))
    text = "\n".join(json.dumps(line) if line else _text(broken_text(rng, [right])) for line in lines)
    return _refused(lambda given: read_decisions(given, "decisions.jsonl"), text)


KINDS: tuple[Callable[[Random, Path], bool], ...] = (
    _answer, _correction, _answer, _recording, _answer, _correction, _prices, _answer, _settings, _correction,
    _answer, _catalog, _answer, _correction, _answer, _decisions, _answer, _correction, _answer, _recording,
)  # fmt: skip


def _built(build: Build, rng: Random, work: Path) -> bool:
    """Write a build, as a command would; whether anything was drafted.

    Raises:
        Stumbled: it says that flowc stumbled.
    """
    for one in build.diagnostics:
        str(one)
        if one.error_code == "internal-error":
            raise Stumbled(one.message)
    if not build.no_answer:
        write_build(build, work / "out")
    return bool(build.procedures)


@cache
def _procedures(file: Path) -> list[dict[str, Any]]:
    """What the deterministic reading finds in a document."""
    build = compile_documents([file], Settings(embedder="lexical", syntax=False))
    return [one.procedure.to_json() for one in build.procedures]


@cache
def _words(name: str) -> Words:
    document = parse(POLICIES[name].encode(), name).document
    assert document is not None
    numbers = numbered(document)
    return Words([(numbers[block.address], block.text) for block in document.blocks if block.text])


def _fitted(raw: dict[str, Any], rng: Random) -> dict[str, Any]:
    """A procedure whose parts name one another, mostly; else each would be refused for what it names."""
    if rng.random() < 0.3:
        return raw
    steps = [step["id"] for step in raw.get("steps", [])]
    conditions = [one["id"] for one in raw.get("conditions", [])]
    for flow in raw.get("flows", []):
        if rng.random() < 0.97:
            at = rng.randrange(len(steps) + 1)
            flow["from"], flow["to"] = ["start", *steps][at], rng.choice([*steps[at:], "end"])
            if flow.get("condition") is not None:
                flow["condition"] = rng.choice([*conditions, "otherwise"])
    for one in raw.get("conditions", []):
        if rng.random() < 0.8:
            one["predicate"] = None
    return raw


def _file(rng: Random, file: Path, right: Any) -> Path:
    """A YAML file with hostile content."""
    text = rng.choice(_BOMBS) if rng.random() < 0.1 else _text(broken_text(rng, [right])).lstrip("\ufeff")
    file.write_bytes(text.encode() if rng.random() < 0.95 else b"\xff\xfe\x00" + text.encode())
    return file


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _scratch(rng: Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text if rng.random() < 0.6 else text[:at] + rng.choice(["", "=", '"', "[", "\n", "\x00"]) + text[at + 1 :]


def _refused(read: Callable[[Any], object], given: Any) -> bool:
    """Whether something was taken; refusals must have a code."""
    try:
        read(given)
    except (CompilerError, CatalogError):
        return False
    return True
