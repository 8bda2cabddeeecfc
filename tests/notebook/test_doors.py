"""Code goes into a cell by one door on each side of the comm: `notebook/cells.py`, `labextension/src/panel/code.ts`.

What is read here are the sources: another door fails the test that would not know its names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = sorted((ROOT / "lakeview" / "notebook").rglob("*.py"))
TYPESCRIPT = sorted((ROOT / "labextension" / "src").rglob("*.ts*"))
WIDGETS = [path for path in TYPESCRIPT if path.parent.name == "widgets"]


def where(pattern: str, files: list[Path] = TYPESCRIPT) -> set[str]:
    """The files that a pattern occurs in."""
    return {path.name for path in files if re.search(pattern, path.read_text(encoding="utf-8"))}


def test_there_is_something_to_read() -> None:
    assert len(PYTHON) > 30 and len(WIDGETS) > 10 and len(TYPESCRIPT) > 30


def test_the_page_writes_cells_in_one_file() -> None:
    assert where(r"setSource\(|sharedModel\.(insert|add|update)|replaceSelection|insertBelow\(|insertAbove\(") == {
        "cells.ts"
    }
    assert where(r"insertCell\(") == {"cells.ts", "insert.ts", "model.ts"}
    assert where(r"requestExecute\(") == {"connection.ts"}
    (executed,) = re.findall(r"\bcode: (.*),", (ROOT / "labextension/src/panel/connection.ts").read_text())
    assert executed == "''"
    cells = (ROOT / "labextension/src/panel/cells.ts").read_text()
    assert re.findall(r"setSource\((.*)\);", cells) == ["String(code)"] and "code: Code," in cells


def test_the_page_makes_code_in_one_file() -> None:
    assert where(r"new Code\(|Code\.write\(") == {"code.ts"}
    # what the kernel wrote comes in here, and is looked at there
    assert where(r"Code\.ofKernel\(") == {
        *("acts.ts", "compare.ts", "frames.tsx", "header.ts", "insert.ts", "row_menu.ts")
    }
    code = (ROOT / "labextension/src/panel/code.ts").read_text(encoding="utf-8")
    assert re.findall(r"return (.*) \? new Code\(text\) : null;", code) == [
        "typeof text === 'string' && !UNSEEN.test(text)"
    ]
    assert where(r"\bas (unknown as|Code|any|never)\b|@ts-") == set()


def test_no_command_of_the_page_takes_code_from_elsewhere() -> None:
    """A link in a stranger's notebook may call a command, with arguments."""
    assert where(r"args\.code|args\[") == set()
    assert where(r"dataset\.lakeview") == {"acts.ts"}  # the number of a hit; what `tree.tsx` shows is kept as Code
    for path in TYPESCRIPT:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(r"[`'\"]%(lakeview|load_ext|pip)", line):
                pieces = re.findall(r"(\w*)[`'\"]%(?:lakeview|load_ext|pip)", line)
                is_read = (
                    "startsWith('%lakeview')" in line
                    or "run %pip install" in line
                    or line.lstrip().startswith(("*", "/**"))
                )
                assert is_read or pieces == ["code"] * len(pieces), f"{path.name}: {line}"


def test_widgets_offer_what_the_kernel_sent() -> None:
    """By one door of their own: what a message of the kernel holds goes into `offer` as it came."""
    assert where(r"lakeview:insert") == where(r"new CustomEvent|dispatchEvent") == {"offer.ts"}
    offer = (ROOT / "labextension/src/widgets/offer.ts").read_text()
    assert re.findall(r"const detail = (.*);", offer) == ["{ code }"] and "detail, bubbles" in offer
    assert re.findall(r"writeText\((.*?)\)", offer) == ["code"] and "code: string," in offer
    assert where(r"\boffer\(") == {"offer.ts", "explore.ts", "fuzzy.ts", "transform.ts"}
    for path in WIDGETS:
        text = path.read_text(encoding="utf-8")
        if path.name != "offer.ts":
            assert set(re.findall(r"\boffer\((.*?)\)", text)) <= {"root, code, then"}, path.name
            assert set(re.findall(r"\btake\((.*?)\)", text)) <= {
                "code: string, then: Said['then']", "code, then", "said.code, said.then"
            }, path.name  # fmt: skip
            assert not re.search(r"\bcode\b *(=|\+=)[^>=]|code:(?! string, then)", text), path.name
    assert where(r"writeText\(") == {"commands.ts", "parts.tsx", "offer.ts", "row_menu.ts"}
    parts = [ROOT / "labextension/src/panel" / name for name in ("parts.tsx", "commands.ts", "row_menu.ts")]
    written = [text for path in parts for text in re.findall(r"writeText\((.*)\)", path.read_text())]
    assert written and all(text.startswith(("String(code", "visible(")) for text in written)


def test_what_panel_and_widgets_share_is_there_once() -> None:
    """Numbers in words, icons and buttons: `src/parts`."""
    assert where(r"Intl\.NumberFormat|toLocaleString\('en'\)") == {"numbers.ts"}
    assert where(r"function (count|plural)\b") == {"numbers.ts"}
    assert where(r"lv-Icon lv-i-|['\"`]lv-Button") == {"looks.ts"}
    for path in TYPESCRIPT:  # what a widget is built of needs nothing of Lab's, nor of the panel
        if path.parent.name in ("widgets", "parts"):
            used = set(re.findall(r"^(?:import .*|\}) from '(.*)';$", path.read_text(encoding="utf-8"), re.MULTILINE))
            assert used or path.name in ("looks.ts", "numbers.ts", "traits.ts", "types.ts"), path.name
            assert all(re.fullmatch(r"(\.|\.\./parts)/\w+", name) for name in used), path.name


def sent_code(tree: ast.AST) -> Iterator[ast.expr]:
    """What stands under "code" in the messages of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in ("code", "codes"):
                    yield value


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.name)
def test_the_kernel_sends_what_the_door_wrote(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name == "cells.py":
        return
    written = {"cells.column(frame, label)", "cells.frame(name)",
               "cells.result(plan, name, unmatched=bool(asked.get('unmatched')))",
               "shown.code(request['hits'], request['hit'])", "code", "write()", "codes(plan)",
               "'transformation'"}  # fmt: skip
    for value in sent_code(ast.parse(text)):
        assert ast.unparse(value) in written, f"{path.name}: {ast.unparse(value)}"
    # `code` and `write()` are of the door, too
    for call in re.findall(r"(?:_say\(|writing the code\", (?:do, )?)lambda: (.*)", text):
        assert call.startswith(("cells.", "[cells.", "resulting(")), call
    assert not re.search(r"def (_?code|_?write)\(", text) or path.name in {"html.py", "shown.py"}
    assert "set_next_input" not in text and "run_cell" not in text and "user_expressions" not in text
    if ".code(" in text:  # shown, not inserted
        assert path.name in {
            "comm.py",
            "plan_html.py",
            "plan_lists.py",
            "transform_widget.py",
            "hits_html.py",
            "recipes.py",
        }, path.name


def test_no_name_is_put_in_quotes_by_hand() -> None:
    """An f-string that writes brackets or quotes around a name writes code: that is `join.naming.literal`'s to do."""
    for path in PYTHON:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.JoinedStr) or path.name == "cells.py":
                continue
            for before, value in zip([None, *node.values], node.values, strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(before, ast.Constant):
                    assert not re.search(r"""\w\[["']?$|compare\($|search\($""", before.value) or before.value.endswith(
                        ("hits[", "alike[")  # of numbers
                    ), f"{path.name}:{node.lineno}"
