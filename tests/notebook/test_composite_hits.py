"""Hits on several columns together, as they are shown."""

from __future__ import annotations

import pandas as pd

import lakeview as lv
from lakeview.notebook.output import hits_html, text


def test_the_columns_stand_in_parentheses():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["1", "2"]})
    lake = lv.open({"there": frame.rename(columns={"a": "p", "b": "<q>"})})
    lake.index(engine="local")
    hits = lake.search(frame, ["a", "b"])
    assert repr(hits[0]) == "Hit(there.(p, <q>): 2 of 2)" and "there.(p, <q>)" in repr(hits)
    assert "(p, &lt;q&gt;)" in hits_html.hits_html(hits)
    assert "(p, <q>)" in text.hits_text(hits)
