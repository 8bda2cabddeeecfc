"""The scripts of the widgets: each is bundled with all that it calls."""

from __future__ import annotations

import re

import pytest

from lakeview.notebook.widgets import explore, fuzzy_widget, transform_widget

WIDGETS = {"explore": explore, "fuzzy": fuzzy_widget, "transform": transform_widget}


@pytest.mark.parametrize("name", WIDGETS)
def test_what_a_script_calls_is_in_its_bundle(name: str) -> None:
    """Functions of their own begin with draw, make or fill; a missing one would fail at the first click."""
    script = str(WIDGETS[name]._widget_class()._esm)
    called = set(re.findall(r"(?<![.\w])((?:draw|make|fill)[A-Z]\w*)\(", script))
    defined = set(re.findall(r"(?:function|const|let) ((?:draw|make|fill)[A-Z]\w*)", script))
    assert called and called <= defined
