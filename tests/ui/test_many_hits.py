"""Five hundred hits: what is drawn at once, and what each thing costs that somebody does among them. It is counted, as
seconds are the machine's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from costs import Costs
from panel_page import Book, shot

MANY = """\
import pandas as pd, lakeview as lv
codes = pd.DataFrame({"code": [f"k{i}" for i in range(50)], "other": [f"k{i}" for i in range(50)]})
brings = {t: [f"{t} of {i}" for i in range(50)] for t in range(500)}  # tables that bring the same would be one hit
many = lv.open({f"table_{t:03d}": pd.DataFrame({f"code_{t}": codes.code, f"v{t}": brings[t]}) for t in brings})
many.index(engine="local")
widget = lv.explore(codes, "code", many)
widget"""

# The widget's own script draws what the kernel's widget holds, once more, where the notebook shows it: the search and
# the way to the kernel are left out. `asked` is what it would say to the kernel.
DRAW = """async ([script, traits]) => {
    const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
    const old = document.querySelector('.lv-Explore');
    const place = old.parentElement;
    old.remove();
    window.asked = [];
    window.model = {
        get: name => traits[name], set: (name, value) => void (traits[name] = value), off() {},
        heard: {}, on(name, act) { this.heard[name] = act; },
        send: what => asked.push(what.do), save_changes: () => asked.push('column')
    };
    const started = performance.now();
    widget.render({ model, el: place });
    const made = place.querySelectorAll('.lv-HitRow').length;
    place.getBoundingClientRect();
    const drawn = performance.now() - started;
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    return { made, drawn, painted: performance.now() - started };
}"""
ROWS = ".lv-Explore .lv-HitRow"
AT_ONCE = 40


@pytest.fixture
def drawn(open_book: Any) -> Iterator[tuple[Book, dict[str, float]]]:
    """A notebook that shows them, just drawn anew, and what was measured then."""
    book = open_book(MANY).run_all()
    book.page.locator(".lv-Explore .lv-Status", has_text="exact").wait_for()
    names = ["frame", "columns", "chosen", "targets", "target", "busy", "error", "answer", "hits", "steps", "look"]
    traits = book.evaluate(f"{{name: getattr(widget, name) for name in {names}}}")
    found = book.page.evaluate(DRAW, [book.evaluate("str(widget._esm)"), traits])
    print({name: round(value) for name, value in found.items()})
    yield book, found
    assert book.errors == []


def test_what_is_seen_is_drawn_first(drawn: tuple[Book, dict[str, float]]) -> None:
    book, found = drawn
    assert found["made"] == AT_ONCE and book.page.evaluate("asked.length") == 0
    book.page.wait_for_function(f"() => document.querySelectorAll('{ROWS}').length === 500")
    assert book.page.locator(".lv-Explore .lv-Hits").get_attribute("aria-rowcount") == "501"


def test_the_last_hit_is_there_for_who_asks_for_it(drawn: tuple[Book, dict[str, float]]) -> None:
    """By keyboard and by the filter, before the browser has had time for the others."""
    book, _ = drawn
    found = book.page.evaluate(
        """() => {
            const widget = document.querySelector('.lv-Explore');
            model.heard['change:answer'](); // drawn anew: forty rows
            const made = () => widget.querySelectorAll('.lv-HitRow').length;
            const before = made();
            widget.querySelector('.lv-HitRow').focus();
            const press = key => document.activeElement.dispatchEvent(
                new KeyboardEvent('keydown', { key, bubbles: true }));
            press('End');
            const last = document.activeElement.querySelector('code').title;
            press('ArrowUp');
            const beside = document.activeElement.querySelector('code').title;
            press('Home');
            const after = made();
            const field = widget.querySelector('[type=search]');
            field.value = 'TABLE_49';
            field.dispatchEvent(new Event('input'));
            return [before, last, beside, after, made()];
        }"""
    )
    assert found == [AT_ONCE, "table_499.code_499", "table_498.code_498", AT_ONCE + 2, 10]


def test_what_is_done_among_them_costs_little(drawn: tuple[Book, dict[str, float]]) -> None:
    """A letter in the filter, another order, a mark and another column: a few layouts each, and nothing is asked of the
    kernel but the column."""
    book, _ = drawn
    page = book.page
    page.wait_for_function(f"() => document.querySelectorAll('{ROWS}').length === 500")
    costs = Costs(page)
    does = {
        "letter": "const field = widget.querySelector('[type=search]'); field.value = '1';"
        " field.dispatchEvent(new Event('input'));",
        "all": "const field = widget.querySelector('[type=search]'); field.value = '';"
        " field.dispatchEvent(new Event('input'));",
        "order": "widget.querySelector('[data-sort=table]').click();",
        "mark": "widget.querySelector('.lv-kind').click();",
        "column": "const list = widget.querySelector('select'); list.value = '1';"
        " list.dispatchEvent(new Event('change'));",
        "answer": "model.heard['change:answer']();",
    }
    for name, act in does.items():
        with costs:
            took = page.evaluate(
                """async act => {
                    const started = performance.now();
                    new Function('widget', act)(document.querySelector('.lv-Explore'));
                    document.querySelector('.lv-Explore').getBoundingClientRect();
                    const took = performance.now() - started;
                    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
                    return took;
                }""",
                act,
            )
        print(f"{name}: {took:.0f} ms, {costs}")
        assert costs.layouts <= 12 and costs.styles <= 24, name
    assert page.evaluate("asked") == ["column"]


SEEN = """() => {
    const view = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer');
    const { top, bottom } = view.getBoundingClientRect();
    return [...document.querySelectorAll('.lv-Explore .lv-HitRow')].filter(row => {
        const at = row.getBoundingClientRect();
        return at.top >= top && at.bottom <= bottom;
    }).length;
}"""


def test_twelve_hits_are_seen(open_book: Any) -> None:
    """A window of 1440 x 900 with the panel open: the answer stands with its cell at the upper edge."""
    book: Book = open_book(MANY.removesuffix("\nwidget").removesuffix('widget = lv.explore(codes, "code", many)'))
    book.page.set_viewport_size({"width": 1440, "height": 900})
    panel = book.run_all().show_panel()
    row = panel.get_by_role("treeitem", name="code, ")
    row.hover()
    row.get_by_role("button", name="Find joins").click()
    book.page.locator(".lv-Explore .lv-Status", has_text="exact").wait_for()
    book.page.locator(".lv-Explore .lv-HitRow").nth(12).wait_for()
    book.page.wait_for_function(f"() => ({SEEN})() >= 12")
    shot(book.page, "1440/window-of-many-hits")
    assert book.errors == []
