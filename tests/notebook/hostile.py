"""Names that would like to be code, and what IPython makes of a cell."""

from __future__ import annotations

import ast
from collections.abc import Iterator

ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # where `str.splitlines` ends a line, and IPython a cell's
PAYLOADS = [
    *(f"id{end}!touch${{IFS}}canary" for end in (*ENDS, "\r\n")),
    *(f"{end}%%bash{end}touch canary" for end in ENDS),
    "!touch canary", "%run canary", "%%bash", "?", "??", "x?", "x;", "# x",
    "{canary}", "$canary", "${canary}", "$(touch canary)", "`touch canary`",
    '"', "'", '"""', "'''", '"\'', "\\", "x\\", '\\"', "\\u2028", "\\N{DIGIT ONE}",
    "]", '"]; canary = 1 #', "'] + canary + ['", "x -k 3", "-k 3", "--with y", 'x" --with "y',
    "a.b", ".", "a b", "", " ", "\0", "\ud800", "\udcff", "\U0001f600", "\u202ex", "\xadx", "\u3164",
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>",
    "é", "e\u0301", "名前", "नाम", "ªµº", "ﬁ", "class", "None",
]  # fmt: skip


def characters(size: int = 48) -> Iterator[str]:
    """Names that hold every character from U+0000 to U+2FFF, each before a command."""
    for start in range(0, 0x3000, size):
        yield "".join(f"x{chr(code)}!touch canary" for code in range(start, start + size))


NAMES = [*PAYLOADS, *characters()]


def calls(cell: str) -> list[tuple[str, list[str]]]:
    """The statements that IPython runs for a cell: each one call of a name, and its literals. Fails for any other."""
    from IPython.core.inputtransformer2 import TransformerManager

    found = []
    for statement in ast.parse(TransformerManager().transform_cell(cell)).body:
        assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call), cell
        call = statement.value
        assert all(isinstance(argument, ast.Constant) for argument in call.args) and not call.keywords, cell
        found.append((ast.unparse(call.func), [argument.value for argument in call.args]))
    return found


def magic(cell: str) -> str:
    """The line that `%lakeview` is given by a cell, which does nothing else."""
    *load, (name, (which, line)) = calls(cell)
    assert load in ([], [("get_ipython().run_line_magic", ["load_ext", "lakeview"])])
    assert (name, which) == ("get_ipython().run_line_magic", "lakeview"), cell
    return line
