"""Hits as HTML: what it says, that no data acts as markup, that it stays small."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import Page
from standins import Counts, Hit, Hits, Query, flights, nothing

from lakeview.errors import StoreError
from lakeview.notebook.output import words
from lakeview.notebook.output.hit_rows import chance_line
from lakeview.notebook.output.hits_html import hits_html
from lakeview.notebook.output.saved import saved_hits
from lakeview.notebook.output.text import hits_text
from lakeview.notebook.widgets.explore_rows import answer_facts

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "'; DROP TABLE x; --",
    'a"b',
    "col\nname",
    "x" * 1_000_000,
    "</style><script>alert(1)</script>",
    "`code` & <b>&amp;",
    '" onmouseover="alert(1)',
    "]]><!--",
    "{{ 7*7 }}",
]


def one(name: str, value: object = "v") -> Hits:
    """One ranked hit, an accidental one and a closest one, all with the same name and values."""
    counts = Counts(10, 5, 8, 4, 40, 9)
    hit = Hit(name, name, 3, 0.5, 8, counts=counts, reason=f"{name}", matching=[(value, 4)], missing=[(value, 2)])
    chance = Hit(name, name, 1, 0.1, 8, reason=name, accidental=True)
    return Hits(Query(name, 6, 1, 10), [hit, chance], closest=[hit])


def test_says_what_the_answer_is() -> None:
    page = Page(hits_html(flights()))
    assert not page.errors and not page.open_tags
    for said in (
        "Joins for flights.dest",
        "105 distinct values · no nulls · lake of 43 tables · answered in 12 ms",
        "4 of 5 exact",
        "101 of 105",
        "7,602 without",
        "82,380,482",
        "× 245, up to 911",
        "98 %7,602 without",
        "101 of 105 codes, a key",
        "+ the names agree",
        "same as before",
        "4 columnsname, lat, lon …",
        "≈ 84 %",
        "76 to 90 % of the values",
        "101 of 105 values · containment 0.96 · Jaccard 0.069",
        "1 chance match",
        "never joined unasked",
        "Not in faa: 4 values, 7,602 rows",
        "SJU5,819 rows",
        'hits[1].join(how="left")',
        "336,776 → 82,380,482",
    ):
        assert said in page.text, said


def test_possible_columns_are_told_with_their_intervals() -> None:
    hits = flights()
    assert "possible" not in Page(hits_html(hits)).text and answer_facts(hits)["possible"] == ""
    doubt = [Hit(HOSTILE[0], f"c{n}", 0, 0.0, 10, containment_low=0.0, containment_high=0.93) for n in range(5)]
    hits.possible = doubt[:1]
    named = f"{HOSTILE[0]}.c0 (0.00 to 0.93)"
    assert answer_facts(hits)["possible"] == f"1 column is possible: {named}"
    hits.possible = doubt
    page = Page(hits_html(hits))
    assert not page.errors and f"5 columns are possible: {named}, " in page.text and "and 2 more" in page.text
    assert saved_hits(hits)["facts"][-1] == answer_facts(hits)["possible"]
    assert hits_text(hits).splitlines()[-1] == f"{answer_facts(hits)['possible']}: sketches cannot tell."


def test_meter_is_an_image_with_a_whole_sentence() -> None:
    labels = [a["aria-label"] for tag, a in Page(hits_html(flights())).elements if a.get("role") == "img"]
    assert labels[1] == "98 percent of your rows matched, 7,602 without"
    assert labels[2] == "about 84 percent of your values matched, 95 percent interval 76 to 90, estimate"


def test_a_fan_out_is_told_in_words_and_not_by_colour_alone() -> None:
    text = Page(hits_html(flights())).text
    assert text.count("warning: fan-out") == 2  # in the row and in its details


def test_almost_all_is_not_all() -> None:
    hits = one("t.csv")
    hits.hits[0].containment = 0.9996
    hits.hits[0].counts = Counts(100_000, 99_999, 8, 4, 100_000, 1)
    del hits.hits[1]
    text = Page(hits_html(hits)).text
    assert ">0.99" in text and "1.00" not in text
    assert "> 99.9 %1 without" in text and "100 %" not in text


def test_rows_that_match_in_percent() -> None:
    shares = {0.0: "0 %", 0.004: "< 1 %", 0.5: "50 %", 0.977: "98 %", 0.995: "99.5 %", 0.9999: "> 99.9 %"}
    assert {share: words.percent(share, False) for share in shares} == shares
    assert words.percent(1.0, True) == "100 %"


def test_chance_matches_are_named_by_their_commonest_columns() -> None:
    teams = [Hit(f"t{n}.csv", "teamID", 3, 0.1, 8, accidental=True) for n in range(5)]
    teams[0].alike = [teams[1]] * 17
    others = [Hit("u.csv", name, 3, 0.1, 8, accidental=True) for name in ("a", "b")]
    assert chance_line([*teams, *others]) == (
        "24 chance matches", "22 like teamID · 2 others · never joined unasked")  # fmt: skip
    assert chance_line(others[:1]) == ("1 chance match", "never joined unasked")


def test_accidents_come_last_and_keep_their_position_in_the_sequence() -> None:
    hits = flights()
    hits.hits.reverse()  # by overlap alone an accident may come first
    text = Page(hits_html(hits)).text
    assert text.index("chance match") > text.index("world_airports")
    assert text.index("hits[0].join") > text.index("hits[4].join")


def test_nothing_found_is_an_answer() -> None:
    text = Page(hits_html(nothing())).text
    for said in (
        "Nothing in this lake joins with planes.model",
        "6 of 127",
        "512 columns",
        "3 problems",
        "What to try",
    ):
        assert said in text
    empty = Hits(Query("df.x", 0, 5, 5), [], columns=0, tables=0)
    assert "Nothing is indexed yet." in Page(hits_html(empty)).text


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("found", [True, False])
def test_hostile_names_are_text(name: str, found: bool) -> None:
    plain, hostile = one("plain", "plain"), one(name, name)
    if not found:
        plain.hits, hostile.hits = [], []
    expected, page = Page(hits_html(plain)), Page(hits_html(hostile))
    ignored = {("wbr", ()), ("code", ())}  # places to break a line, names in a reason
    assert [e for e in page.shape if e not in ignored] == [e for e in expected.shape if e not in ignored]
    assert not page.errors and not page.open_tags
    assert {tag for tag, _ in page.elements}.isdisjoint(
        {"script", "img", "iframe", "object", "link", "svg", "a", "form"}
    )
    assert name[:150].replace("\n", r"\n").replace("`", "") in page.text.replace("`", "")


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1), st.one_of(st.text(), st.integers(), st.floats(), st.none()))
def test_any_name_and_value_leave_the_structure_alone(name: str, value: object) -> None:
    ignored = {("wbr", ()), ("code", ()), ("span", ("class",))}
    page, expected = Page(hits_html(one(name, value))), Page(hits_html(one("plain")))
    assert [e for e in page.shape if e not in ignored] == [e for e in expected.shape if e not in ignored]
    assert not page.errors and not page.open_tags


def test_no_attribute_holds_script_or_address() -> None:
    for _, attributes in Page(hits_html(one(HOSTILE[0]))).elements:
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("href", "src", "action")
            assert name != "style" or re.fullmatch(r"left:[\d.]+%;width:[\d.]+%", value or "")


def test_bounded_in_rows_and_in_bytes() -> None:
    hits = one("x" * 1_000_000)
    hits.hits = [hits.hits[0]] * 400 + [hits.hits[1]] * 100
    html = hits_html(hits)
    page = Page(html)
    assert "… 350 more: hits.to_pandas()" in page.text and "100 chance matches" in page.text
    assert sum(a.get("class") == "lv-Hit" for a in page.tags("tbody")) == 50
    assert len(html) < 400_000


def test_a_long_answer_with_names_of_usual_length_stays_under_200_kb() -> None:
    hits = flights()
    hits.hits = hits.hits * 20
    assert len(hits_html(hits)) < 200_000


def test_save_values_false_leaves_out_every_value() -> None:
    html = hits_html(flights(), save_values=False)
    assert "ORD" not in html and "SJU" not in html
    assert "lv.options.save_values" in Page(html).text
    assert "Matching: 101 values" in Page(html).text  # counts are no values


def test_save_values_false_leaves_out_what_a_step_makes_of_a_value() -> None:
    hits = one("t.csv")
    hits.hits[0].example = ("Doe, Ann", "Ann Doe")  # type: ignore[attr-defined]
    for values in (True, False):
        for shown in (hits_html(hits, values), str(saved_hits(hits, values))):
            assert ("Doe, Ann" in shown) == values


def test_files_that_are_gone_leave_the_examples_out() -> None:
    hits = one("t.csv", "secret")

    def gone(n: int) -> None:
        raise StoreError("gone")

    hits.hits[0].examples = gone  # type: ignore[method-assign]
    assert "Matching: 3 values" in Page(hits_html(hits)).text


def test_reads_well_without_styles() -> None:
    page = Page(re.sub("<style>.*</style>", "", hits_html(flights()), flags=re.DOTALL))
    header = [a for a in page.tags("th") if a.get("scope") == "col"]
    assert len(header) == 7
    assert len(page.tags("summary")) == 6 and page.text.count("Details of ") == 5
    assert "open" in page.tags("details")[0] and "open" not in page.tags("details")[1]


def test_tables_that_changed_are_told_beside_the_hits_and_where_there_are_none() -> None:
    said = [f"<b>{i}.csv changed since it was indexed: lake.index()" for i in range(7)]
    for hits in (flights(), nothing()):
        hits.left_out = said
        shown = hits_html(hits)
        page = Page(shown)
        assert not page.errors and "<b>0.csv" in page.text and "<b>4.csv" in page.text and "5.csv" not in page.text
        assert "And 2 more tables." in page.text and "<b>0.csv" not in str(shown)
        assert "0.csv changed" in hits_text(hits)
