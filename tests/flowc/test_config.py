"""Settings: precedence, and what is not legal."""

import os
from pathlib import Path

import pytest

from compiler.build.configuration import configure
from ir.errors import BadSetting


def test_flags_over_environment_over_file_over_defaults(tmp_path: Path) -> None:
    """Each layer hides the one below, and the winner is named."""
    file = tmp_path / "flowc.toml"
    environment: dict[str, str] = {}
    flags: dict[str, str | None] = {"embedder": None}

    def won() -> tuple[str | None, str]:
        setting = configure(flags, environment, tmp_path).settings["embedder"]
        return setting.value, setting.source

    assert won() == ("default", "default")
    file.write_text('embedder = "openai:one"', encoding="utf-8")
    assert won() == ("openai:one", str(file))
    environment["FLOWC_EMBEDDER"] = "openai:two"
    assert won() == ("openai:two", "FLOWC_EMBEDDER")
    flags["embedder"] = "lexical"
    assert won() == ("lexical", "--embedder")


def test_our_variable_wins_over_openais(tmp_path: Path) -> None:
    """`FLOWC_BASE_URL` is more particular than `OPENAI_BASE_URL`; an empty variable is not set."""
    environment = {"OPENAI_BASE_URL": "http://b", "FLOWC_BASE_URL": "http://a"}
    assert configure({}, environment, tmp_path).text("base_url") == "http://a"
    assert configure({}, environment | {"FLOWC_BASE_URL": ""}, tmp_path).text("base_url") == "http://b"


def test_the_file_is_found_above_and_its_folders_are_its_own(tmp_path: Path) -> None:
    """flowc.toml is looked for upwards; a relative folder in it is relative to it."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "flowc.toml").write_text('catalog = "mine"', encoding="utf-8")
    assert configure({}, {}, tmp_path / "deep" / "er").items("catalog") == (str(tmp_path / "mine"),)


def test_catalogs_may_be_several(tmp_path: Path) -> None:
    """By flags given several times, by folders as in PATH, in a file by a list; `builtin` is no folder."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one, other = str(tmp_path / "a"), str(tmp_path / "b")
    flagged = configure({"catalog": [one, "builtin"]}, {}, tmp_path)
    assert flagged.items("catalog") == (one, "builtin")
    assert flagged.settings["catalog"].shown == f"{one}, builtin"
    assert configure({}, {"FLOWC_CATALOG": os.pathsep.join((one, other))}, tmp_path).items("catalog") == (one, other)
    (tmp_path / "flowc.toml").write_text('catalog = ["b", "builtin"]\npermissions = []', encoding="utf-8")
    written = configure({}, {"FLOWC_PERMISSIONS": "a:read, a:write"}, tmp_path)
    assert (written.items("catalog"), written.items("permissions")) == ((other, "builtin"), ("a:read", "a:write"))
    assert configure({}, {}, tmp_path).items("permissions") == ()
    with pytest.raises(BadSetting, match="nowhere does not exist; expected a folder of another catalog"):
        configure({"catalog": [one, str(tmp_path / "nowhere")]}, {}, tmp_path)


def test_the_file_can_be_named(tmp_path: Path) -> None:
    """`FLOWC_CONFIG` names another file, which must exist."""
    other = tmp_path / "other.toml"
    with pytest.raises(BadSetting, match="FLOWC_CONFIG"):
        configure({}, {"FLOWC_CONFIG": str(other)}, tmp_path)
    other.write_text('embedder = "lexical"', encoding="utf-8")
    assert configure({}, {"FLOWC_CONFIG": str(other)}, tmp_path).file == other


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('embeder = "lexical"', 'unknown setting "embeder"; did you mean "embedder"?'),
        ("embedder = 3", "expected text in quotes"),
        ("embedder =", "not valid TOML"),
        ('api_key = "sk-1"', "set OPENAI_API_KEY instead"),
        ('catalog = "none"', "does not exist"),
        ("concurrency = 0", "a whole number above 0"),
        ("requests_per_minute = 1.5", "a whole number above 0"),
        ('embedder = "lexicl"', 'did you mean "lexical"?'),
    ],
)
def test_what_a_file_may_not_say(tmp_path: Path, content: str, said: str) -> None:
    """Each fault names the file and the next step; a secret is not repeated."""
    (tmp_path / "flowc.toml").write_text(content, encoding="utf-8")
    with pytest.raises(BadSetting) as caught:
        configure({}, {}, tmp_path)
    assert said in str(caught.value)
    assert "flowc.toml" in str(caught.value)
    assert "sk-1" not in str(caught.value)


def test_numbers(tmp_path: Path) -> None:
    """With or without quotes; the flag wins."""
    (tmp_path / "flowc.toml").write_text('concurrency = 3\ntokens_per_minute = "1000"\n')
    found = configure({"concurrency": "4"}, {}, tmp_path)
    counts = [found.count(name) for name in ("concurrency", "tokens_per_minute", "requests_per_minute")]
    assert counts == [4, 1000, None]


def test_a_misspelt_variable_is_noticed(tmp_path: Path) -> None:
    """A FLOWC_ variable that sets nothing gives a notice, and no error."""
    (notice,) = configure({}, {"FLOWC_EMBEDER": "lexical"}, tmp_path).notices
    assert "FLOWC_EMBEDDER" in notice


def test_a_secret_is_not_in_what_is_printed(tmp_path: Path) -> None:
    """Neither `shown` nor the representation of a setting has the key."""
    setting = configure({}, {"OPENAI_API_KEY": "sk-1"}, tmp_path).settings["api_key"]
    assert setting.value == "sk-1"
    assert "sk-1" not in f"{setting.shown} {setting!r}"
