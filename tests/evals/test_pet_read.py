"""Reading PET files: what is kept, and which line is at fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.pet import Mention, MentionType, Relation, RelationType, read_records
from ir.errors import BadInputFile, CompilerError, MissingPath, UnreadableFile

LINE: dict[str, Any] = {
    "id": "kiln",
    "text": "The potter fires the kiln .",
    "tokens": [{"text": word, "posTag": "X"} for word in ("The", "potter", "fires", "the", "kiln", ".")],
    "mentions": [
        {"type": "Activity", "tokenDocumentIndices": [2]},
        {"type": "Activity Data", "tokenDocumentIndices": [4, 3]},
    ],
    "entities": [],
    "relations": [{"type": "uses", "headMentionIndex": 0, "tailMentionIndex": 1}],
}


def written(folder: Path, *lines: Any) -> Path:
    """A file of these lines; texts stand as they are, anything else as JSON."""
    path = folder / "some.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_a_document_as_it_is_written(tmp_path: Path) -> None:
    """Tokens get their place in the text, mentions their tokens in order; blank lines do not count."""
    (record,) = read_records(written(tmp_path, LINE, "", "  "))
    assert [record.text[start:end] for start, end in record.tokens] == ["The", "potter", "fires", "the", "kiln", "."]
    assert record.gold.mentions == (Mention(MentionType.ACTIVITY, (2,)), Mention(MentionType.ACTIVITY_DATA, (3, 4)))
    assert record.gold.relations == (Relation(RelationType.USES, 0, 1),)


def test_a_reader_sees_the_text_alone(tmp_path: Path) -> None:
    """The document of a record is one paragraph, the text as it stands."""
    (record,) = read_records(written(tmp_path, LINE))
    (block,) = record.document.blocks
    assert (block.kind, block.text, record.document.language) == ("paragraph", LINE["text"], "en")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ([1], "line: "),
        ({**LINE, "id": ""}, "id: "),
        ({key: LINE[key] for key in ("id", "text")}, "tokens: "),
        ({**LINE, "text": "The potter rests ."}, "tokens[2]: 'fires'"),
        ({**LINE, "mentions": [{"type": "Verb", "tokenDocumentIndices": [2]}]}, "mentions.0.type: "),
        ({**LINE, "mentions": [{"type": "Activity", "tokenDocumentIndices": []}]}, "mentions.0.tokenDocumentIndices: "),
        ({**LINE, "mentions": [{"type": "Activity", "tokenDocumentIndices": [6]}]}, "mentions[0]: tokens [6]"),
        ({**LINE, "mentions": []}, "relations[0]: mentions 0 and 1"),
        ({**LINE, "relations": [{"type": "likes", "headMentionIndex": 0, "tailMentionIndex": 1}]}, "relations.0.type"),
        (LINE, "a second document with the id 'kiln'"),
    ],
)
def test_a_line_at_fault_is_named(tmp_path: Path, line: Any, said: str) -> None:
    """The message has the file, the line and what is wrong there."""
    path = written(tmp_path, LINE, line)
    with pytest.raises(BadInputFile) as caught:
        read_records(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert said in str(caught.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    """Nothing there, nothing in it, no text, a folder: each has its code."""
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\xff")
    codes: dict[Path, type[CompilerError]] = {
        tmp_path / "gone.jsonl": MissingPath,
        written(tmp_path, ""): BadInputFile,
        binary: UnreadableFile,
        tmp_path: UnreadableFile,
    }
    for path, error in codes.items():
        with pytest.raises(error):
            read_records(path)
