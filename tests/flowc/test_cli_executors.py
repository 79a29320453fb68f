"""Executors on the command line: who carries a Type out here, and settings that cannot work."""

from pathlib import Path

from conftest import Flowc

TOML = """
[executors."record.create"]
kind = "file"
folder = "records"
name = "{{system}}.jsonl"
"""


def test_show_tells_who_carries_a_type_out(flowc: Flowc, tmp_path: Path) -> None:
    """In a workspace, of Types that a system carries out; nowhere else."""
    assert "executor" not in flowc("catalog", "show", "record.create").out
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(TOML, "utf-8")
    assert f"# carried out by file ({tmp_path / 'flowc.toml'})" in flowc("catalog", "show", "record.create").out
    told = flowc("catalog", "show", "record.delete").out
    assert '# no executor; bind one with [executors."record.delete"]' in told
    assert "executor" not in flowc("catalog", "show", "human.approval").out
    assert "carried out by" not in flowc("catalog", "show", "record.create", "--json").out


def test_settings_that_cannot_work_are_told_by_every_command_that_runs(flowc: Flowc, tmp_path: Path) -> None:
    """With the Type, the setting, and what was meant; paths are those beside flowc.toml."""
    assert flowc("workspace", "init", ".", "--user", "wen").status == 0
    (tmp_path / "flowc.toml").write_text(TOML.replace("folder", "foldr").replace(".jsonl", ".jsonl/.."), "utf-8")
    told = flowc("run", "start", "anything")
    assert told.status == 2 and "[bad-setting]" in told.err
    for said in ('[executors."record.create"]', 'did you mean "folder"', "name: a name lies in the folder"):
        assert said in told.err
