"""Problems in the panel: each thing said once, the worst first."""

from __future__ import annotations

import pytest

from lakeview.notebook.panel.problems import told, worst_first


@pytest.mark.parametrize(
    ("problem", "detail", "count", "says", "gravity"),
    [
        ("read as cp1252", "read as cp1252: not valid UTF-8 at byte 2,066", 1,
         "Read as cp1252: not valid UTF-8 at byte 2,066.", "note"),
        ("empty", "the file is empty", 1, "The file is empty.", "note"),
        ("uneven rows", "1 with too few cells: padded with nulls; 1 with too many: the excess was dropped", 2,
         "Uneven rows: 1 with too few cells: padded with nulls; 1 with too many: the excess was dropped.", "warning"),
        ("not read", "'survey.xlsx' is no format lakeview reads; save it as CSV or Parquet", 1,
         "Not read: 'survey.xlsx' is no format lakeview reads; save it as CSV or Parquet.", "error"),
        ("NUL bytes", "3 NUL bytes were left out", 3, "3 NUL bytes were left out.", "warning"),
        ("bad lines", "lines that are no JSON were left out", 7,
         "Bad lines: lines that are no JSON were left out (7 times).", "warning"),
        ("damaged", "", 1, "Damaged.", "error"),
    ],
)  # fmt: skip
def test_a_problem_is_a_sentence(problem: str, detail: str, count: int, says: str, gravity: str) -> None:
    assert told("t.csv", problem, detail, count) == {"table": "t.csv", "says": says, "gravity": gravity}


def test_the_worst_come_first_and_their_order_stays() -> None:
    made = [told(name, problem, "x", 1) for name, problem in (
        ("a", "empty"), ("b", "bad lines"), ("c", "not read"), ("d", "stray bytes"), ("e", "damaged"))]  # fmt: skip
    assert [each["table"] for each in worst_first(made)] == ["c", "e", "b", "d", "a"]
