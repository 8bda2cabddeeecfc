"""The join graph: what is drawn, where, and that names stay names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from test_references import indexed, shop

from lakeview.relations import graph, springs
from lakeview.relations.references import FIELDS


def tables(*names: str) -> pd.DataFrame:
    return pd.DataFrame({"table": names, "columns": 2, "rows": 1000})


def keys(*joins: tuple[str, str, float]) -> pd.DataFrame:
    return pd.DataFrame([(a, "x", b, "y", 1.0, score) for a, b, score in joins], columns=FIELDS)


def nodes(figure) -> dict[str, tuple[float, float]]:
    """Hover text of each table → its place."""
    return {
        text: (x, y)
        for trace in figure.data
        if trace.mode == "markers+text"
        for text, x, y in zip(trace.hovertext, trace.x, trace.y, strict=True)
    }


def hovers(figure) -> list[str]:
    return [text for trace in figure.data if trace.mode == "markers" for text in trace.hovertext]


def test_the_graph_of_a_lake():
    figure = indexed(shop()).graph()
    assert len(nodes(figure)) == 6
    said = " ".join(hovers(figure))
    assert "orders.customer_id → customers.id" in said
    assert "lines.(part_id, supplier_id) → offers.(part_id, supplier_id)" in said
    assert figure.layout.title.text == "6 tables, 7 pairs of them joined"


def test_names_show_letter_by_letter():
    bad = '<img src=x onerror="alert(1)">&amp;$x$%{x}'
    figure = graph.figure(keys((bad, "b", 0.9)), tables(bad, "b"))
    text = figure.to_json()
    assert "<img" not in text.replace("\\u003c", "<")
    assert "&lt;img src=x" in text.replace("\\u0026", "&")
    assert not any("$" in said for said in [*hovers(figure), *nodes(figure)])
    assert all(trace.hovertemplate is None and trace.texttemplate is None for trace in figure.data)


def test_unjoined_tables_are_left_out_of_a_large_picture_and_counted():
    few, many = (tables(*(f"t{i}" for i in range(n))) for n in (30, 300))
    joins = keys(("t1", "t2", 0.9), ("t3", "t3", 0.4))
    assert len(nodes(graph.figure(joins, few))) == 30
    large = graph.figure(joins, many)
    assert len(nodes(large)) == 3
    assert "297 tables without a join are not shown" in large.layout.title.text


def test_keys_of_one_pair_of_tables_are_one_line():
    figure = graph.figure(keys(("a", "b", 0.9), ("a", "b", 0.6), ("b", "a", 0.7)), tables("a", "b"))
    assert len(hovers(figure)) == 2
    assert any(text.count("→") == 2 for text in hovers(figure))


def test_the_legend_has_folders_and_bands():
    names = [f"{folder}/t{i}.csv" for folder in "abcdefghijkl" for i in range(3)]
    figure = graph.figure(keys((names[0], names[4], 0.9), (names[1], names[7], 0.35)), tables(*names))
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert len(legend) == 2 + graph.FOLDERS + 1
    assert {"joins, score from 0.8", "joins, score below 0.5", "other folders", "a"} <= set(legend)


def test_an_empty_lake_is_an_empty_picture():
    figure = graph.figure(keys(), tables())
    assert figure.layout.title.text == "0 tables, 0 pairs of them joined"


@pytest.mark.parametrize("seed", range(4))
def test_forty_tables_do_not_overlap(seed: int):
    rng = np.random.default_rng(seed)
    edges = [(i, int(rng.integers(0, i))) for i in range(1, 30)] + [(30 + i, 30 + i // 2) for i in range(1, 6)]
    places = springs.layout(40, edges)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(40, 1)]
    assert apart.min() > 0.25
    # Joined tables are nearer to each other than tables are as a rule.
    joined = np.mean([np.linalg.norm(places[a] - places[b]) for a, b in edges])
    assert joined < 0.5 * np.median(apart)
    assert np.array_equal(places, springs.layout(40, edges))


@pytest.mark.parametrize("seed", range(3))
def test_no_name_covers_another_or_another_table(seed: int):
    rng = np.random.default_rng(seed)
    names = [f"{'ab'[i % 2]}/{'long_name_of_a_table'[: rng.integers(3, 20)]}_{i}.csv" for i in range(40)]
    joins = keys(*((names[i], names[int(rng.integers(0, 3))], 0.9) for i in range(3, 35)))
    figure = graph.figure(joins, tables(*names))
    boxes = []
    for trace in figure.data:
        if trace.mode == "markers+text":
            for x, y, text, size in zip(trace.x, trace.y, trace.text, trace.marker.size, strict=True):
                assert text
                half = max(6 * len(text), size) / 2
                boxes.append((x - half, y - size / 2, x + half, y + size / 2 + 12))
    left, bottom, right, top = np.array(boxes).T
    across = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    along = np.minimum(top[:, None], top) - np.maximum(bottom[:, None], bottom)
    meet = (across > 0) & (along > 0)
    assert len(boxes) == 40 and meet.sum() == 40  # itself alone
    assert left.min() >= 0 and bottom.min() >= 0
    assert right.max() <= figure.layout.xaxis.range[1] and top.max() <= figure.layout.yaxis.range[1]


def test_tables_that_are_all_joined_have_room():
    edges = [(i, j) for i in range(20) for j in range(i)]
    places = springs.layout(20, edges) / [springs.WIDE, 1.0]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(20, 1)]
    assert np.quantile(apart, 0.05) > springs.ROOM / 2 and apart.min() > 0.3


def test_a_menu_goes_to_a_table_and_those_it_is_joined_with():
    names = [f"t{i}" for i in range(60)]
    joins = [("t0", f"t{i}", 0.9) for i in range(1, 9)] + [(f"t{i}", f"t{i + 1}", 0.9) for i in range(8, 59)]
    figure = graph.figure(keys(*joins), tables(*names))
    (menu,) = figure.layout.updatemenus
    assert [button.label for button in menu.buttons[:2]] == ["all tables", "t0"]
    assert len(menu.buttons) == graph.MENU + 1
    (left, right), (bottom, top) = (menu.buttons[1].args[0][f"{axis}axis.range"] for axis in "xy")
    shown = {
        text.split("<br>")[0] for text, (x, y) in nodes(figure).items() if left <= x <= right and bottom <= y <= top
    }
    assert shown >= set(names[:9])
    assert len(shown) < 40
    assert not graph.figure(keys(*joins[:5]), tables(*names[:20])).layout.updatemenus


def test_the_largest_group_is_on_top_and_a_table_that_refers_to_itself_has_a_ring_below():
    figure = graph.figure(keys(("a", "b", 0.9), ("b", "c", 0.9), ("z", "z", 0.9)), tables("a", "b", "c", "z"))
    heights = {name.split("<br>")[0]: y for name, (_, y) in nodes(figure).items()}
    assert min(heights[name] for name in "abc") > heights["z"]
    (ring,) = (
        y
        for trace in figure.data
        if trace.mode == "markers"
        for y, symbol in zip(trace.y, trace.marker.symbol, strict=True)
        if symbol == "circle-open"
    )
    assert 5 < heights["z"] - ring < 30


def test_lines_are_fine_where_there_are_many():
    names = [f"t{i}" for i in range(40)]
    for pairs in (graph.FINE, graph.FINE + 1):
        joins = [(a, b, 0.9) for i, a in enumerate(names) for b in names[:i]][:pairs]
        figure = graph.figure(keys(*joins), tables(*names))
        (width,) = {trace.line.width for trace in figure.data if trace.mode == "lines" and trace.hoverinfo == "skip"
                    and trace.legend is None}  # fmt: skip
        assert (width < 1) == (pairs > graph.FINE)


def test_groups_are_those_that_hang_together():
    assert springs.components(6, [(0, 3), (3, 5), (1, 1)]) == [[0, 3, 5], [1], [2], [4]]


def test_of_very_many_joins_the_best_are_drawn_and_the_rest_counted(monkeypatch):
    monkeypatch.setattr(graph, "DRAWN", 2)
    figure = graph.figure(keys(("a", "b", 0.5), ("b", "c", 0.9), ("c", "a", 0.7)), tables("a", "b", "c"))
    assert len(hovers(figure)) == 2 and not any("a.x → b.y" in said for said in hovers(figure))
    assert "3 pairs of them joined, the best 2 drawn" in figure.layout.title.text


def test_a_pair_of_many_keys_lists_the_best():
    found = pd.DataFrame([("a", f"x{n}", "b", "y", 1.0, n / 20) for n in range(20)], columns=FIELDS)
    (said,) = hovers(graph.figure(found, tables("a", "b")))
    assert said.startswith("a.x19 → b.y") and said.endswith("and 12 more") and "a.x11 " not in said


def test_lines_go_with_the_folder_that_is_hidden():
    """Between two folders each has a half, so that nothing is left of a hidden one's; inside a folder it has all."""
    names = ["a/s.csv", "a/t.csv", "b/u.csv"]
    figure = graph.figure(keys((names[0], names[1], 0.9), (names[1], names[2], 0.9)), tables(*names))
    place = {name.split("<br>")[0]: np.array(at) for name, at in nodes(figure).items()}
    middle = (place[names[1]] + place[names[2]]) / 2

    def segments(folder):
        for trace in figure.data:
            if trace.mode == "lines" and trace.legendgroup == folder:
                yield from np.column_stack([trace.x, trace.y]).reshape(-1, 3, 2)[:, :2]

    assert np.allclose(list(segments("a")), [[place[names[0]], place[names[1]]], [place[names[1]], middle]])
    assert np.allclose(list(segments("b")), [[middle, place[names[2]]]])
    assert {trace.legendgroup for trace in figure.data if trace.mode == "markers"} == {"a"}
    assert {trace.name: trace.legendgroup for trace in figure.data if trace.mode == "markers+text"} == {
        "a": "a",
        "b": "b",
    }


def test_a_menu_hides_joins_of_low_scores():
    figure = graph.figure(keys(("a/s", "b/t", 0.9), ("a/s", "c/u", 0.4)), tables("a/s", "b/t", "c/u"))
    (menu,) = figure.layout.updatemenus
    assert [button.label for button in menu.buttons] == ["all joins", "joins, score from 0.8"]
    every, good = (button.args[0]["opacity"] for button in menu.buttons)
    assert set(every) == {1} and len(good) == len(figure.data)
    faint = [trace for trace, opacity in zip(figure.data, good, strict=True) if opacity == 0]
    assert {(trace.mode, trace.legendgroup) for trace in faint} == {("lines", "a"), ("lines", "c"), ("markers", "a")}
    assert all(trace.line.dash == "dot" for trace in faint if trace.mode == "lines")
    assert not graph.figure(keys(("a/s", "b/t", 0.9)), tables("a/s", "b/t")).layout.updatemenus
