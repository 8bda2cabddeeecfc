"""The objects that lakeview hands out, shown by a real shell from a real lake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from reading import Page

import lakeview as lv
from lakeview.notebook.output import saved

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of four tables: a key, a table that fans out, one with a hostile name and column, and a bad file."""
    folder = tmp_path_factory.mktemp("lake")
    codes = [f"{a}{b}{c}" for a in "ABC" for b in "DEF" for c in "GHI"]
    pd.DataFrame({"code": codes, "name": [f"Place {c}" for c in codes], "year": 7}).to_csv(
        folder / "places.csv", index=False
    )
    pd.DataFrame({"at": codes * 40, "n": range(40 * len(codes))}).to_csv(folder / "visits.csv", index=False)
    pd.DataFrame({f'{HOSTILE} "q"': codes[:9], "x": range(9)}).to_csv(
        folder / f"{HOSTILE}.csv".replace("/", ""), index=False
    )
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n4,5\n")
    lake = lv.open(folder)
    lake.index(engine="local")
    return folder


@pytest.fixture
def bundle(shell: Any, folder: Path) -> Any:
    """A function that runs code in the shell and returns what its last line shows."""
    shell.run_line_magic("lakeview", f"open {folder}")
    shell.user_ns.update(lakeview=lv, lake_folder=folder)
    shell.user_ns["df"] = pd.DataFrame({"code": ["ADG", "ADH", "ADG", "ZZZ", None], "year": 2013})

    def run(code: str) -> dict[str, Any]:
        outcome = shell.run_cell(code)
        outcome.raise_error()
        return shell.display_formatter.format(outcome.result)[0]

    return run


def test_hits(bundle: Any) -> None:
    shown = bundle("%lakeview search df.code")
    assert set(shown) == {"text/plain", "text/html", saved.MIME}
    page = Page(shown["text/html"])
    assert not page.errors and not page.open_tags
    assert "Joins for df.code" in page.text and "2 of 3" in page.text
    assert shown["text/plain"].startswith("Joins for df.code: 3 distinct values, 1 null, lake of 4 tables")
    assert shown[saved.MIME]["title"] == "Joins for df.code"
    assert "1 row without a value: nulls never match" in page.text


def test_a_real_lake_takes_every_option(bundle: Any) -> None:
    assert len(bundle("%lakeview search df.code -k 1 --overlap")[saved.MIME]["rows"]) == 1
    assert bundle("%lakeview search df.code --threshold 0.9 --join")[saved.MIME]["rows"] == []
    assert len(bundle("%lakeview search places.code -k 2")[saved.MIME]["rows"]) == 2


def test_a_hostile_table_of_a_real_lake_is_text(bundle: Any) -> None:
    page = Page(bundle("%lakeview search df.code")["text/html"])
    assert HOSTILE in page.text
    assert not page.tags("img")


def test_join_plan(bundle: Any) -> None:
    bundle("hits = %lakeview search df.code")
    bundle("plan = next(hit for hit in hits if hit.table == 'places.csv').join()")
    shown = bundle("plan")
    page = Page(shown["text/html"])
    assert not page.errors and not page.open_tags
    assert "df.code = places.csv.code" in page.text and "left join · 5 → 5 rows" in page.text
    assert "Place ADG" in page.text  # the preview
    assert "yearyear_places" not in page.text and "year → year_places" in page.text
    assert "pd." in page.text and "PySpark code" in page.text and "SQL code" in page.text
    assert "Rows: 5 → 5" in shown["text/plain"]


def test_plan_that_fans_out_warns(bundle: Any) -> None:
    bundle("hits = %lakeview search df.code")
    page = Page(bundle("next(hit for hit in hits if hit.table == 'visits.csv').join()")["text/html"])
    assert "warning: fan-out 5 → 122" in page.text


def test_lake_and_report(bundle: Any, folder: Path) -> None:
    shown = bundle("%lakeview status")
    assert "4 tables" in Page(shown["text/html"]).text and "1 problem" in Page(shown["text/html"]).text
    assert str(folder.parent) not in shown["text/html"] + shown["text/plain"]  # the path of a machine stays there
    assert "places.csv" in shown["text/plain"]
    shown = bundle("%lakeview index")
    assert "4 skipped unchanged" in Page(shown["text/html"]).text
    assert shown["text/plain"].startswith("Indexed 4 tables, ")


def test_a_lake_without_an_index(bundle: Any, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    shown = bundle(f"%lakeview open {tmp_path}")
    assert "not indexed yet" in Page(shown["text/html"]).text and "not indexed yet" in shown["text/plain"]


def test_save_values_false_reaches_every_representation(bundle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lv.options, "save_values", False)
    bundle("hits = %lakeview search df.code")
    shown = bundle("hits")
    seen = f"{Page(shown['text/html']).text} {shown['text/plain']} {shown[saved.MIME]}".lower()
    assert "2 of 3" in seen and not any(value in seen for value in ("adg", "adh", "zzz"))
    bundle("plan = next(hit for hit in hits if hit.table == 'places.csv').join()")
    assert "Place" not in str(bundle("plan")) and "5 → 5" in str(bundle("plan"))


def test_a_plan_is_saved_as_a_table_too(bundle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle("hits = %lakeview search df.code")
    shown = bundle("plan = next(hit for hit in hits if hit.table == 'places.csv').join()\nplan")[saved.MIME]
    assert shown["title"] == "df.code = places.csv.code" and "Rows: 5 → 5" in shown["facts"]
    assert shown["rows"][0][:2] == ["ADG", 2013] and shown["total"] == 5
    monkeypatch.setattr(lv.options, "save_values", False)
    assert bundle("plan")[saved.MIME]["rows"][0] == ["Rows", "5 → 5"]


def test_two_columns_compared(bundle: Any) -> None:
    shown = bundle("%lakeview compare df.code --with places.csv.code")
    page = Page(shown["text/html"])
    assert not page.errors and not page.open_tags
    assert "df.code beside places.csv.code" in page.text and "2 shared values" in page.text
    assert "of the values of df.code are in places.csv.code" in page.text
    assert "  Containment: 0.667 of the values of df.code are in places.csv.code" in shown["text/plain"].splitlines()
    assert shown[saved.MIME]["rows"][1] == ["Containment", *[2 / 3] * 3, shown[saved.MIME]["rows"][1][-1]]
    plain = bundle("lake = lakeview.open(lake_folder)\nlake.compare(df.code, 'places.csv.code')")["text/plain"]
    assert plain.startswith("code beside places.csv.code: 2 shared values, exact")


def test_an_estimated_comparison_carries_its_intervals() -> None:
    from lakeview.estimate.coupled import Comparison
    from lakeview.estimate.interval import Estimate
    from lakeview.notebook.output import comparison_html

    share = Estimate(0.5, 0.4, 0.6)
    shown = Comparison(Estimate(5000.2, 4000.0, 6000.0), share, share, Estimate(0.0004, 0.0, 0.001))
    text = comparison_html.comparison_text(shown)
    assert "≈ 5,000 (95 %: 4,000–6,000) shared values, ≈ approximate" in text
    assert "Containment: ≈ 0.500 (95 %: 0.400–0.600)" in text and "≈ <0.001" in text
    page = Page(str(comparison_html.comparison_html(shown)))
    assert not page.errors and "≈ 0.50" in page.text and "95 %: 0.40–0.60" in page.text


def test_a_plan_over_big_files_is_shown_without_reading_them(bundle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from lakeview.join.plan import JoinPlan
    from lakeview.notebook.output import plan_html

    bundle("hits = %lakeview search df.code")
    bundle("plan = hits[0].join()")
    monkeypatch.setattr(plan_html, "CHEAP_BYTES", 0)

    def forbidden(*arguments: Any) -> None:
        raise AssertionError("the display read the tables")

    for name in ("counts", "preview", "code"):
        monkeypatch.setattr(JoinPlan, name, forbidden)
    shown = bundle("plan")
    assert "not counted yet" in shown["text/plain"]
    assert "plan.counts()" in Page(shown["text/html"]).text and 'plan.code("pandas")' in Page(shown["text/html"]).text


def test_registration_imports_neither_search_nor_join() -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell; InteractiveShell.instance(); import lakeview, sys;"
        "print([m for m in sys.modules if m in ('lakeview.search.ranking', 'lakeview.join.plan', 'pyspark', 'pandas')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_lakeview_is_enough_to_be_shown(folder: Path) -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell; ip = InteractiveShell.instance();"
        f"import lakeview as lv; shown, _ = ip.display_formatter.format(lv.open({str(folder)!r}));"
        "print('text/html' in shown)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("True")


def test_progress_of_a_kernel_is_html_and_of_a_terminal_is_not(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from lakeview.notebook.output import display
    from lakeview.notebook.progress import NotebookProgress
    from lakeview.pipeline import progress

    before = progress._make_reporter
    monkeypatch.setattr(progress, "_make_reporter", before)
    display.register(shell)
    assert progress._make_reporter is before
    monkeypatch.setattr(shell, "kernel", object(), raising=False)
    display.register(shell)
    assert isinstance(progress.reporter().inner, NotebookProgress)
