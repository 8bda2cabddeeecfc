"""Messy files in exported code: pandas reads the plan's rows, or the code is refused in one line."""

from __future__ import annotations

import pandas as pd
import pytest
from joining import lake, rows, run_pandas

from lakeview.errors import InputError
from lakeview.join.export.spark_read import CannotRead, source
from lakeview.join.plan import equi_join
from lakeview.join.side import Side

FILES = {
    "stray.csv": "faa,name,lat\nORD,Zürich,1\nATL,c – d,2\n".encode().replace("–".encode(), b"\x96"),
    "marks.csv": "\ufeff\ufefffaa,name,lat\nORD,a,1\nATL,c,2\n",
    "title.csv": "Report,\n,\nfaa,lat\nORD,1\nATL,2\n",
    "units.csv": "faa,name,lat\n-,text,deg\nORD,a,1\nATL,c,2\nJFK,d,3\n",
    "pairs.csv": "From;x\nfaa;name;lat\nORD;a;1;;\nATL;c;2;;\nJFK;d;3;;\n",
    "hash.csv": "#faa,name,lat\nORD,a,1\nATL,c,2\n",
    "vcf.csv": "##x\n#faa,name,lat\nORD,a,1\nATL,c,2\n",
    "comments.csv": "# x\nfaa,name,lat\n# y\nORD,a,1\n# z\nATL,c,2\n",
    "single.csv": "faa,name,lat\nORD,'a, b',1\nATL,'c''d',2\n",
    "blank.csv": 'faa, name, lat\nORD, "a, b", 1\nATL, c, 2\n',
    "backslash.csv": 'faa,name,lat\nORD,"a \\"b\\", x",1\nATL,c,2\n',
    "guards.csv": 'faa,name,lat\n="ORD",a,1\n="ATL",c,2\n',
    "below.json": '{"meta": {}, "data": [{"faa": "ORD", "lat": 1}, {"faa": "ATL", "lat": 2}]}',
    "wrapped.csv": '"faa,name,lat"\n"ORD,a,1"\n"ATL,c,2"\n',
}
REFUSED = {"stray.csv", "guards.csv", "below.json", "wrapped.csv"}


@pytest.mark.parametrize("name", FILES)
def test_pandas_reads_the_same_or_says_why_not(tmp_path, name):
    side = Side.lake(lake(tmp_path, {name: FILES[name]})[name], {"lat": "number"})
    left = pd.DataFrame({"dest": ["ORD", "ATL", "XXX"], "year": [1, 2, 3]})
    plan = equi_join(Side.frame(left, "flights"), side, "dest", "faa", "left")
    assert set(plan.to_pandas()["lat"].dropna()) == {1.0, 2.0}
    if name not in REFUSED:
        assert list(rows(run_pandas(plan))) == list(rows(plan.to_pandas()))
    else:
        with pytest.raises(InputError, match="differently from the lake") as caught:
            plan.code("pandas")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", sorted(FILES.keys() - {"marks.csv", "hash.csv", "below.json"}))
def test_spark_is_not_asked_to_read_them(tmp_path, name):
    side = Side.lake(lake(tmp_path, {name: FILES[name]})[name], {})
    with pytest.raises(CannotRead, match=r"has .*, which Spark's reader does not skip"):
        source(side, ("faa",))
