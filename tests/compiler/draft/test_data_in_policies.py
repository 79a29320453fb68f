"""A policy's table of data is data, with typed columns; its tables of rules are not."""

from pathlib import Path

from compiler.build.builder import compile_documents

TEXT = """# Storage of Solvents

1. The warehouse clerk shall record each delivery in the register.
2. The safety officer shall check the substance against Table 1.
3. Orders are approved as follows.

| Order value | Approver |
|---|---|
| up to EUR 500 | Line manager |
| over EUR 500 up to EUR 5,000 | Head of Department |
| over EUR 5,000 | Managing Director |

Table 1: Solvents

| Substance | Limit (mg) | Flash point (°C) | Class | Watched | Since |
|---|---|---|---|---|---|
| Acetone | 500 | -18 | F | yes | 2021-03-01 |
| Toluene | 50.5 | 4 | F | no | 2022-05-01 |
| Benzene | — | -11 | T | yes | 2020-01-01 |
| Water | 9 | 100 | T | no | 2019-01-01 |

| Rev. | Date | Description |
|---|---|---|
| 1 | 2020-01-01 | First issue |
| 2 | 2021-01-01 | Limits |
| 3 | 2022-01-01 | Classes |
"""


def test_the_tables_of_a_policy(tmp_path: Path) -> None:
    """Numbers with the heading's unit and their sign, truth values, dates, recurring words; a dash is no value."""
    (tmp_path / "solvents.md").write_text(TEXT)
    build = compile_documents([tmp_path])
    (data,) = build.references
    kinds = {name: (spec.type, spec.unit, spec.enum) for name, spec in data.columns.items()}
    assert list(kinds.values())[1:] == [
        ("number", "mg", None),
        ("integer", "°C", None),
        ("string", None, ("F", "T")),
        ("boolean", None, None),
        ("date", None, None),
    ]
    assert list(data.rows[2].values.values())[1:] == [None, -11, "T", True, "2020-01-01"]
    assert data.rows[0].evidence[2].quote == "-18"
