"""Reading HTML back as a browser would, to see that nothing in it comes from data but text."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"br", "wbr", "col"}


class Page(HTMLParser):
    """Elements, attributes and text of a piece of HTML; `open_tags` is empty where every element is closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open_tags: list[str] = []
        self.errors: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open_tags or self.open_tags.pop() != tag:
            self.errors.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if "style" not in self.open_tags:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.errors.append(f"comment {data!r}")

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Elements with the names of their attributes: what data must not change."""
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    def tags(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
