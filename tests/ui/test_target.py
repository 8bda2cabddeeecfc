"""With a target: hits in the order of what their columns tell of it, small pictures, and a large one of the best."""

from __future__ import annotations

from typing import Any

from panel_page import looked_at

FRAME = """\
import numpy as np, pandas as pd
import lakeview as lv
rng = np.random.default_rng(3)
places = [f"{a}{b}{c}" for a in "KLMNPRST" for b in ("an", "el", "or", "um") for c in ("berg", "ville", "by", "stad")]
town = rng.integers(0, 128, 6000)
humid, wind = rng.uniform(10, 100, 128), rng.uniform(0, 30, 128)
trips = pd.DataFrame({"town": np.array(places)[town], "seat": rng.integers(1, 99, 6000),
                      "delay": np.round(5 + humid[town] / 6 - wind[town] / 5 + rng.normal(0, 9, 6000), 1)})
trips["late"] = np.where(trips.delay > 15, "late", "on time")
air = pd.DataFrame({"place": places, "gust": rng.uniform(0, 9, 128), "humid": humid, "wind": wind,
                    "band": np.where(humid > 55, "wet", "dry"), "year": 2013, "code": rng.permutation(128)})[:120]
people = pd.DataFrame({"town": places, "mayor": [f"mayor {i}" for i in range(128)],
                       "people": rng.integers(1_000, 90_000, 128)})
lake = lv.open({"air": air, "people": people})
lake.index(engine="local");"""


def test_the_telling_come_first_each_with_a_picture(open_book: Any) -> None:
    book = open_book(FRAME, 'lv.explore(trips, "town")').run_all()
    book.page.set_viewport_size({"width": 1440, "height": 900})
    widget = book.page.locator(".lv-Explore")
    names = widget.locator(".lv-HitRow .lv-name code")
    widget.locator(".lv-Status", has_text="exact").wait_for()
    assert [name.split(".")[0] for name in names.all_inner_texts()] == ["people", "air"], "by how well they join"
    target = widget.get_by_label("Target")
    assert target.locator("option").all_inner_texts() == ["no target", "town", "seat", "delay", "late"]
    target.select_option("delay")
    widget.locator(".lv-Facts", has_text="by what tells of delay").wait_for()
    assert [name.split(".")[0] for name in names.all_inner_texts()] == ["air", "people"]
    assert widget.locator(".lv-HitRow .lv-adds").first.inner_text().split("\n")[-1].startswith("humid, ")
    widget.locator(".lv-HitRow").first.focus()
    book.page.keyboard.press("ArrowRight")
    picture = widget.locator(".lv-Pic")
    picture.wait_for()
    assert picture.get_attribute("aria-label").startswith("mean delay by humid: 1")
    telling = widget.locator(".lv-Get li")
    assert telling.locator("code").all_inner_texts() == ["humid", "band", "wind"]
    assert telling.locator("input").evaluate_all("all => all.map(each => each.checked)") == [True] * 3
    assert widget.get_by_text("3 of 6 columns, the telling first").count() == 1
    looked_at(book, ".lv-Explore", "target")
    # Another picture, by keys alone; the rows, and back.
    telling.nth(2).get_by_role("button").focus()
    book.page.keyboard.press("Enter")
    widget.get_by_role("img", name="mean delay by wind: ").last.wait_for()
    assert telling.nth(2).get_by_role("button").get_attribute("aria-pressed") == "true"
    widget.get_by_role("button", name="five rows").click()
    assert widget.locator(".lv-Five").count() == 1 and picture.count() == 0
    widget.get_by_role("button", name="picture", exact=True).click()
    # What tells little says why; and is joined where somebody ticks it.
    widget.get_by_role("button", name="show", exact=True).click()
    little = {row.split()[0]: " ".join(row.split()[1:]) for row in telling.all_inner_texts()[3:]}
    assert little == {"gust": "tells little", "year": "one value", "code": "tells little"}
    telling.filter(has_text="year").get_by_role("checkbox").check()
    looked_at(book, ".lv-Explore", "target-all-columns")
    widget.get_by_role("button", name="Join", exact=True).click()
    book.page.wait_for_function("() => document.querySelectorAll('.jp-Cell').length > 2")
    code = next(source for source in book.sources() if "merge" in source)
    assert "gust" in code and "year" not in code.replace("trips", ""), "those that tell little are left out"


def test_a_category_by_a_line_and_again_none(open_book: Any) -> None:
    book = open_book("%load_ext lakeview\n" + FRAME, "%lakeview search trips.town --target late").run_all()
    widget = book.page.locator(".lv-Explore")
    widget.locator(".lv-Facts", has_text="by what tells of late").wait_for()
    rows = widget.locator(".lv-HitRow")
    assert rows.first.get_by_text("air").count() == 1
    rows.first.focus()
    book.page.keyboard.press("ArrowRight")
    widget.get_by_role("img", name="share of late = ").last.wait_for()
    looked_at(book, ".lv-Explore", "target-category")
    widget.get_by_label("Target").select_option("no target")
    widget.get_by_role("row", name="people.town").first.wait_for()
    book.page.wait_for_function("() => document.querySelector('.lv-HitRow .lv-name').innerText.includes('people')")
    widget.get_by_label("Target").select_option("seat")
    widget.locator(".lv-Facts", has_text="by what tells of seat").wait_for()
    rows.first.focus()
    book.page.keyboard.press("ArrowRight")
    widget.locator(".lv-Get li", has_text="mayor").get_by_text("tells little").wait_for()
    assert widget.locator(".lv-Get input:not(:checked)").count() == 0, "where nothing tells, nothing is left out"
    assert widget.locator(".lv-Pic").count() == 0


def test_from_the_overview(open_book: Any) -> None:
    book = open_book(FRAME, "lv.explore(trips)").run_all()
    widget = book.page.locator(".lv-Over")
    widget.locator(".lv-Status", has_text="exact").wait_for()
    widget.get_by_label("Target").select_option("delay")
    town = widget.locator(".lv-ColumnRow", has_text="town").first
    town.get_by_text("humid explains ").wait_for()
    assert town.locator(".lv-best code").inner_text() == "air.place"
    looked_at(book, ".lv-Over", "overview-target")
    town.click()
    grid = book.page.locator(".lv-Explore:not(.lv-Over)")
    grid.locator(".lv-Pic").wait_for()
    assert grid.get_by_label("Target").input_value() == "2"
