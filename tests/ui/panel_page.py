"""What the tests do in Lab: open a notebook with its kernel ready, run cells, look at the panel."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

# Messages that are not lakeview's: Lab's own and the browser's.
IGNORED = ("favicon", "net::ERR_INTERNET", "Failed to load resource: the server responded with a status of 404")


def write_lake(folder: Path) -> None:
    """Airports and carriers, small, and a file that cannot be read."""
    folder.mkdir(exist_ok=True)
    codes = ["ATL", "BOS", "DEN", "JFK", "LAX", "MIA", "ORD", "SEA", "SFO", "XNA"]
    rows = [f"{code},City of {code},{i * 100}" for i, code in enumerate(codes)]
    (folder / "airports.csv").write_text("\n".join(["faa,name,alt", *rows]) + "\n")
    (folder / "routes.csv").write_text("src,dst\n" + "".join(f"{a},{b}\n" for a in codes[:9] for b in codes[:6]))
    (folder / "airlines.csv").write_text("carrier,name\nUA,United\nAA,American\nB6,JetBlue\nDL,Delta\n")
    (folder / "survey.xlsx").write_bytes(b"PK")


SHOTS = Path(__file__).parent / "screenshots"
WINDOWS = (1440, 1100)  # pixels; beside the one that a test has, each with a folder of its own that is not kept


def shot(what: Any, name: str) -> None:
    """Take the picture of a page or an element anew, where LAKEVIEW_SCREENSHOTS=1 asks for it."""
    if os.environ.get("LAKEVIEW_SCREENSHOTS"):
        path = SHOTS / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        what.screenshot(path=path, animations="disabled")


def theme_of(page: Any) -> str:
    return page.evaluate("() => document.body.dataset.jpThemeName").removeprefix("JupyterLab ")


def check_access(page: Any, selector: str) -> None:
    """axe finds nothing amiss there. Its script, half a megabyte, is sent to a page once."""
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    if page.evaluate("() => Boolean(window.axe)"):
        axe.axe_script = "0"
    found = axe.run(page, context=selector)
    assert found.violations_count == 0, found.generate_report()


def looked_at(book: Book, selector: str, name: str) -> None:
    """One state in both themes: axe finds nothing, and its picture is taken where that is asked for."""
    themes = ["Dark", "Light"]
    if theme_of(book.page) == "Light":  # a change costs as much as looking
        themes.reverse()
    for theme in themes:
        book.theme(theme)
        check_access(book.page, selector)
        shot(book.page.locator(selector), f"{name}-{theme.lower()}")
        if os.environ.get("LAKEVIEW_SCREENSHOTS") and (size := book.page.viewport_size):
            for width in WINDOWS:
                book.page.set_viewport_size({"width": width, "height": 900})
                shot(book.page.locator(selector), f"{width}/{name}-{theme.lower()}")
            book.page.set_viewport_size(size)


FRAME = """\
import pandas as pd
flights = pd.DataFrame({
    "carrier": ["UA", "UA", "AA", "B6", "ZZ", "DL"],
    "dest": ["ORD", "LAX", "MIA", "BQN", "ATL", "BOS"],
    "air time": [227.5, 227.0, 160.0, 183.0, 116.0, 150.0],
})"""


def write_notebook(path: Path, *sources: str, kernel: str = "python3") -> None:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "execution_count": None, "metadata": {}, "source": s, "outputs": []}
        for i, s in enumerate(sources)
    ]
    spec = {"name": kernel, "display_name": kernel, "language": "python"}
    path.write_text(json.dumps({"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}))


# Lab shows it as it starts and at every change of theme, and fails to remove it twice within a fifth of a second.
SPLASH = "#jupyterlab-splash"


def start(page: Any, url: str) -> None:
    """Open `url` and wait until the application stands; one that does not in a minute is loaded once more."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("requestfailed", lambda request: said.append(f"{request.url}: {request.failure}"))
    page.set_default_timeout(60_000)
    for last in (False, True):
        page.goto(url)
        try:
            page.wait_for_function("() => window.jupyterapp")
            page.wait_for_function("() => window.jupyterapp.started.then(() => true)")
            page.wait_for_function("() => window.jupyterapp.restored.then(() => true)")
            page.wait_for_selector(SPLASH, state="detached")
            return
        except Exception as error:
            seen = page.evaluate("() => [Boolean(window.jupyterapp), document.body.innerText.slice(0, 500)]")
            print(f"{url} did not start: {error}\n{seen}\n{said[-20:]}")
            if last:
                raise


def stop_kernels(page: Any) -> None:
    """Stop those of a page's Lab, if one stands there."""
    page.evaluate("() => window.jupyterapp?.serviceManager.sessions.shutdownAll()")


class Book:
    """The notebook in front of a page."""

    def __init__(self, page: Any, path: str = "") -> None:
        self.page, self.path = page, path
        self.errors: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))

    def _console(self, message: Any) -> None:
        if message.type == "error" and not any(text in message.text for text in IGNORED):
            self.errors.append(message.text)

    def command(self, name: str, **arguments: Any) -> None:
        """Run a command of Lab and wait for its end."""
        self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => undefined)", [name, arguments]
        )

    def ready(self) -> Book:
        """Wait until the notebook's kernel is idle."""
        self.page.wait_for_function(
            """() => {
                const panel = window.jupyterapp.shell.currentWidget;
                const kernel = panel?.sessionContext?.session?.kernel;
                return kernel && kernel.status === 'idle' && panel.context.isReady;
            }"""
        )
        return self

    def run_all(self) -> Book:
        self.command("notebook:run-all-cells")
        return self.ready()

    def wait_for_run(self, index: int, after: int = 0) -> None:
        """Wait until a cell, which may not be there yet, has run as number `after` + 1 or later."""
        self.page.wait_for_function(
            """([index, after]) =>
                window.jupyterapp.shell.currentWidget.content.widgets[index]?.model.executionCount > after""",
            arg=[index, after],
        )

    def show_panel(self) -> Any:
        """The panel, in front."""
        self.command("lakeview:show-panel")
        panel = self.page.locator("#lakeview-panel")
        panel.wait_for()
        return panel

    def sources(self) -> list[str]:
        """The code of all cells."""
        return self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.widgets.map(c => c.model.sharedModel.getSource())"
        )

    def outputs(self, index: int) -> Any:
        """The output area of a cell."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").nth(index).locator(".jp-OutputArea")

    def evaluate(self, expression: str) -> Any:
        """An expression's value in the notebook's kernel, through JSON."""
        text = self.page.evaluate(
            """async expression => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const code = `__import__('json').dumps(${expression})`;
                let reply;
                do {  // what waits while a cell fails is aborted with it
                    reply = (await kernel.requestExecute(
                        { code: '', silent: true, store_history: false, user_expressions: { it: code } }).done).content;
                } while (reply.status === 'aborted');
                const it = reply.user_expressions.it;
                return it.status === 'ok' ? it.data['text/plain'] : `'${JSON.stringify({ error: it.evalue })}'`;
            }""",
            expression,
        )
        return json.loads(eval(text))

    def theme(self, name: str) -> None:
        """Change the theme, and wait until the splash is gone.

        Lab hides its page meanwhile: the focus is put back, and nothing is told that it was away.
        """
        if name == theme_of(self.page):
            return
        focused = self.page.evaluate_handle(
            """() => {
                window.holdFocus = event => event.stopImmediatePropagation();
                window.addEventListener('focusout', window.holdFocus, true);
                return document.activeElement;
            }"""
        )
        self.command("apputils:change-theme", theme=f"JupyterLab {name}")
        self.page.wait_for_selector(f"body[data-jp-theme-name='JupyterLab {name}']", state="attached")
        self.page.wait_for_selector(SPLASH, state="detached")
        focused.evaluate(
            """element => {
                element.focus({ preventScroll: true });
                window.removeEventListener('focusout', window.holdFocus, true);
            }"""
        )
