"""What is built of the front end for Python to read: whole, and with nothing to fetch."""

from __future__ import annotations

import re
import typing

import pytest
from traitlets import TraitError

from lakeview.errors import LakeviewError
from lakeview.notebook.scripts import built
from lakeview.notebook.widgets import explore, fuzzy_widget, traits, transform_widget
from lakeview.notebook.widgets.synced import synced

WIDGETS = {
    "explore": (explore, traits.ExploreTraits),
    "fuzzy": (fuzzy_widget, traits.FuzzyTraits),
    "transform": (transform_widget, traits.TransformTraits),
}


@pytest.mark.parametrize("name", WIDGETS)
def test_a_script_is_one_module_that_fetches_nothing(name: str) -> None:
    script = built(f"{name}.js")
    assert re.search(r"export\s*\{\s*\w+ as default\s*\};?\s*$", script)
    outside = script.replace("http://www.w3.org/2000/svg", "").replace("!important", "")
    for word in ("import", "require", "fetch(", "XMLHttpRequest", "http", "eval(", "new Function"):
        assert word not in outside, word


@pytest.mark.parametrize("name", WIDGETS)
def test_a_script_writes_no_markup(name: str) -> None:
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment"):
        assert word not in built(f"{name}.js")


@pytest.mark.parametrize("name", ["style", *WIDGETS])
def test_a_sheet_is_whole_and_fetches_nothing(name: str) -> None:
    sheet = built(f"{name}.css")
    assert sheet.startswith(built("style.css")) and sheet.count("{") == sheet.count("}")
    assert not re.search(r"url\(|@import|@font-face", sheet)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_has_the_traits_that_its_script_draws(name: str) -> None:
    module, shape = WIDGETS[name]
    made = module._widget_class()
    fields = typing.get_type_hints(shape)
    own = {trait for trait in made.class_traits(sync=True) if not trait.startswith("_")}
    assert own == {*fields, "layout", "tooltip", "tabbable"}
    assert made._esm == built(f"{name}.js") and made._css == built(f"{name}.css")


class Some(typing.TypedDict):
    text: str
    numbers: list[int]
    pair: tuple[str, float]
    how: traits.How
    more: traits.Answer


def test_traits_are_made_as_they_are_typed() -> None:
    made = synced(Some).class_traits(sync=True)
    kinds = {name: type(made[name]).__name__ for name in typing.get_type_hints(Some)}
    assert kinds == {"text": "Unicode", "numbers": "List", "pair": "Tuple", "how": "Unicode", "more": "Dict"}
    assert made["how"].default() == "left"
    with pytest.raises(TraitError):
        synced(Some)(numbers=["one"])


def test_a_checkout_that_was_never_built_says_so() -> None:
    with pytest.raises(LakeviewError, match=r"has no nothing\.js: run make"):
        built("nothing.js")
