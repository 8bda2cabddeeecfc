"""Where there is no Lab: VS Code, Colab and others draw widgets by what anywidget says a host does, in a page with
other variables or none. Every widget is drawn by such a host here, and read as in Lab."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from panel_page import check_access

sys.path.insert(0, str(Path(__file__).parents[1] / "notebook"))

from waiting import settled

import lakeview as lv

PEOPLE = ["Mara Quist", "Ivo Dahl", "Tess Renner", "Olu Adeyemi", "Sana Mirza", "Pia Kern", "Hugo Brandt"]
FIRMS = ["Granite Peak Tools", "Salt Creek Dairy", "Blue Harbor Foods", "Amber Valley Mills", "Iron Gate Works"]
TYPED = ["Granite Pak Tools", "Salt Creek Diary", "Blue Harbor Foods", "Amber Valey Mills", "Iron Gates Works"]

# The colours that VS Code gives its pages, in its dark theme; a page without any is what the browser makes of it.
HOSTS = {
    "VS Code, dark": "html { --vscode-foreground: #cccccc; --vscode-editor-background: #1f1f1f;"
    " --vscode-font-family: sans-serif; --vscode-font-size: 13px; --vscode-focusBorder: #0078d4; }"
    "body { color: var(--vscode-foreground); background: var(--vscode-editor-background); }",
    "a bare page": "body { color: #202124; background: #ffffff; }",
    "a bare page, dark": "html { color-scheme: dark; } body { color: #e8eaed; background: #383838; }",
}

# What a host does: it has the styles in the page, imports the script, and hands it the traits and an element.
DRAW = """async ([script, styles, traits]) => {
    document.head.append(Object.assign(document.createElement('style'), { textContent: styles }));
    const source = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    const { default: exported } = await import(source);
    const widget = typeof exported === 'function' ? await exported() : exported;
    window.said = [];
    const heard = {};
    const model = {
        get: name => traits[name],
        set: (name, value) => { traits[name] = value; (heard[`change:${name}`] ?? []).forEach(act => act()); },
        save_changes() {}, send: what => said.push(what),
        on: (name, act) => (heard[name] ??= []).push(act), off() {}
    };
    await widget.initialize?.({ model });
    const el = document.body.appendChild(document.createElement('div'));
    el.id = 'host';
    await widget.render({ model, el });
}"""


def _lake() -> lv.Lake:
    lake = lv.open({"airports": pd.DataFrame({"faa": ["ORD", "ATL", "BOS"], "city": ["Chicago", "Atlanta", "Boston"]})})
    lake.index(engine="local")
    return lake


def explored() -> Any:
    flights = pd.DataFrame({"dest": ["ORD", "ATL", "ATL", "XXX"], "number": [1.5, 2.5, 3.5, 4.5]})
    return settled(lv.explore(flights, "dest", _lake()))


def overview() -> Any:
    flights = pd.DataFrame({"dest": ["ORD", "ATL", "ATL", "XXX"], "number": [1.5, 2.5, 3.5, 4.5]})
    return settled(lv.explore(flights, lake=_lake()))


def fuzzy() -> Any:
    left, right = pd.DataFrame({"firm": TYPED * 3}), pd.DataFrame({"firm": FIRMS})
    return lv.explore(lv.fuzzy_join(left, right, on="firm", threshold=0.6))


def transform() -> Any:
    people = [*("{1}, {0}".format(*name.split()) for name in PEOPLE), "Carter, James Earl"]
    target = pd.DataFrame({"name": PEOPLE, "no": range(len(PEOPLE))})
    return settled(lv.explore(lv.auto_join(pd.DataFrame({"person": people}), target)))


@pytest.fixture
def host(page: Any) -> Callable[[Any, str], Any]:
    """A function that draws a widget in a page of a host's look."""

    def draw(widget: Any, look: str) -> Any:
        asked: list[str] = []
        errors: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_viewport_size({"width": 1000, "height": 900})
        page.set_content(f"<!doctype html><html lang=en><title>A host</title><style>{look}</style><body>")
        traits = {name: value for name, value in widget.get_state().items() if not name.startswith("_")}
        page.evaluate(DRAW, [str(widget._esm), str(widget._css), traits])
        assert [url for url in asked if not url.startswith(("blob:", "about:", "data:"))] == [] and errors == []
        return page

    return draw


@pytest.mark.parametrize("look", HOSTS)
@pytest.mark.parametrize(("make", "row", "text"), [
    (explored, ".lv-HitRow", "airports"), (overview, "tr", "airports"), (fuzzy, ".lv-Pair", "Granite"),
    (transform, "tr", "Carter")])  # fmt: skip
def test_a_widget_reads_as_in_lab(
    host: Callable[[Any, str], Any], look: str, make: Callable[[], Any], row: str, text: str
) -> None:
    page = host(make(), HOSTS[look])
    page.locator(f"#host {row}:visible", has_text=text).first.wait_for()
    check_access(page, "#host")
    sizes = page.evaluate("""() => [...document.querySelectorAll('#host *')].filter(
        one => one.offsetWidth > 1 && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
    ).map(one => parseFloat(getComputedStyle(one).fontSize))""")
    assert min(sizes) >= 11


def test_its_buttons_ask_the_kernel(host: Callable[[Any, str], Any]) -> None:
    page = host(explored(), HOSTS["a bare page"])
    page.locator("#host .lv-HitRow").first.focus()
    page.keyboard.press("p")
    assert any(said["do"] == "details" for said in page.evaluate("said"))
