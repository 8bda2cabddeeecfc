"""One page of Lab for test after test: loading it costs more than most of them do."""

from __future__ import annotations

from typing import Any

import panel_page

SIZE = {"width": 1280, "height": 720}

OPEN = "path => window.jupyterapp.commands.execute('docmanager:open', { path }).then(() => undefined)"

# As Lab begins: no document, no kernel, the file browser at its root in front, the light theme. Whether it is so.
TIDY = """async () => {
    const { commands, serviceManager, shell } = window.jupyterapp;
    document.activeElement?.blur();
    document.querySelectorAll('.jp-Dialog .jp-mod-reject').forEach(button => button.click());
    for (const widget of [...shell.widgets('main')]) {
        if (widget.context) widget.context.model.dirty = false;  // or Lab would ask whether to save it
        widget.close();
    }
    await serviceManager.sessions.shutdownAll();
    await commands.execute('filebrowser:go-to-path', { path: '', dontShowBrowser: true });
    await commands.execute('filebrowser:activate');
    const left = [...shell.widgets('main')].filter(widget => widget.context).length;
    return !left && !document.querySelector('.jp-Dialog, .lm-Menu');
}"""


class LabPage:
    """A page of Lab, loaded when it is first asked for, and anew where a test left it in a state of its own."""

    def __init__(self, browser: Any, url: str) -> None:
        self._browser, self._url = browser, url
        self._page: Any = None
        self._is_tidy = False  # as Lab begins
        self._opened = 0  # times, by this test

    @property
    def page(self) -> Any:
        if self._page is None:
            self._page = self._browser.new_context(viewport=SIZE).new_page()
        return self._page

    def open(self, path: str = "") -> Any:
        """Open a file of Lab's folder, or none; the second that a test opens is that of a page that is loaded anew."""
        self._opened += 1
        if not self._is_tidy:
            panel_page.start(self.page, f"{self._url}/lab{f'/tree/{path}' if path else ''}?reset")
        elif path:
            self._page.evaluate(OPEN, path)
        self._is_tidy = False
        return self._page

    def tidy(self) -> None:
        """Make the page ready for the next test, or drop it where that cannot be."""
        page, opened, self._opened = self._page, self._opened, 0
        if page is None or self._is_tidy:
            return
        if opened != 1 or not page.evaluate("() => Boolean(window.jupyterapp)"):
            return self.drop()
        if panel_page.theme_of(page) != "Light":
            panel_page.Book(page).theme("Light")
        page.set_viewport_size(SIZE)
        page.mouse.move(0, 0)
        self._is_tidy = page.evaluate(TIDY)
        if not self._is_tidy:
            self.drop()

    def drop(self) -> None:
        """Close the page and stop the kernels that it began."""
        if self._page is not None:
            panel_page.stop_kernels(self._page)
            self._page.context.close()
        self._page, self._is_tidy = None, False
