"""The join graph of a lake as a picture: tables are points, joins are lines between them.

A table's place comes from the joins alone (Fruchterman and Reingold 1991), each connected group laid out by itself and
the groups set beside each other, the largest first. The legend filters: a click hides a folder's tables or the joins of
a band of scores, a double click shows one alone. Where there are many tables, a menu goes to one of those with most
joins, and to those it is joined with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ALL_SHOWN = 40  # tables up to which those without a join are shown too
LABELS = 40  # tables that get their name beside them; of more, those with most joins
DRAWN = 2_000  # pairs of joined tables that are drawn, the best: a browser draws no more of them smoothly
TOLD = 8  # keys that the hover of one pair lists
FOLDERS = 8  # entries of the legend; the tables of smaller folders go together
MENU = 30  # tables that the menu goes to
BANDS = ((0.8, "joins, score from 0.8"), (0.5, "joins, score 0.5 to 0.8"), (0.0, "joins, score below 0.5"))
_LINES = ("solid", "dash", "dot")  # told by pattern too
_STEPS = 120
ROOM = 0.8  # distance that nine tables of ten keep from the next one
WIDE = 1.7  # names are wider than they are high


@dataclass(frozen=True)
class Join:
    """All keys by which one table refers to another: places of the two tables, best score, what the hover says."""

    source: int
    target: int
    score: float
    says: str


def figure(keys: pd.DataFrame, tables: pd.DataFrame) -> go.Figure:
    """The picture of `Lake.foreign_keys` and `Lake.tables`; of many tables only those that have a join."""
    import plotly.graph_objects as go

    joined = {*keys["table"], *keys["references_table"]}
    names = [t for t in tables["table"] if t in joined or len(tables) <= ALL_SHOWN]
    rows, columns = (dict(zip(tables["table"], tables[field], strict=True)) for field in ("rows", "columns"))
    every = _joins(keys, {name: i for i, name in enumerate(names)})
    joins = sorted(every, key=lambda join: -join.score)[:DRAWN]
    places = layout(len(names), [(join.source, join.target) for join in joins])
    picture = go.Figure()
    for band, (least, title) in enumerate(BANDS):
        most = BANDS[band - 1][0] if band else 2.0
        _add_joins(picture, [j for j in joins if least <= j.score < most], places, title, _LINES[band])
    degree = np.bincount([end for j in every for end in (j.source, j.target)], minlength=len(names))
    labelled = set(np.argsort(-degree, kind="stable")[:LABELS].tolist())
    for folder, members in _folders(names):
        says = [
            f"{_plain(names[i])}<br>{rows[names[i]]:,} rows, {columns[names[i]]:,} columns, {degree[i]:,} joins"
            for i in members
        ]
        picture.add_scatter(
            x=places[members, 0],
            y=places[members, 1],
            name=_plain(folder),
            mode="markers+text",
            text=[_plain(_short(names[i])) if i in labelled else "" for i in members],
            textposition="top center",
            hovertext=says,
            hoverinfo="text",
            marker={"size": 10 + 4 * np.sqrt(degree[members]), "line": {"width": 1}},
        )
    if len(names) > ALL_SHOWN:
        menu = _menu(names, places, joins, np.argsort(-degree, kind="stable")[:MENU].tolist())
        picture.update_layout(updatemenus=[menu])
    hidden = len(tables) - len(names)
    picture.update_layout(
        title={"text": _title(len(names), len(joins), len(every), hidden), "font": {"size": 14}},
        template="none",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest",
        dragmode="pan",
        height=int(np.clip(360 + 8 * len(names), 400, 900)),
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"itemclick": "toggle", "itemdoubleclick": "toggleothers"},
        xaxis={"visible": False},
        yaxis={"visible": False, "scaleanchor": "x"},
    )
    return picture


def _menu(names: Sequence[str], places: np.ndarray, joins: Sequence[Join], chosen: Sequence[int]) -> dict[str, Any]:
    """A menu that shows a part of the picture: a table and those it is joined with, or all."""
    near: dict[int, set[int]] = {i: {i} for i in chosen}
    for join in joins:
        for one, other in ((join.source, join.target), (join.target, join.source)):
            if one in near:
                near[one].add(other)
    buttons = [
        {"label": "all tables", "method": "relayout", "args": [{"xaxis.autorange": True, "yaxis.autorange": True}]}
    ]
    for i in sorted(chosen, key=lambda i: names[i]):
        part = places[sorted(near[i])]
        margin = np.array([1, 0.6])
        (left, bottom), (right, top) = part.min(axis=0) - margin, part.max(axis=0) + margin
        ranges = {"xaxis.range": [left, right], "yaxis.range": [bottom, top]}
        buttons.append({"label": _plain(names[i]), "method": "relayout", "args": [ranges]})
    return {"buttons": buttons, "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"}


def _title(tables: int, drawn: int, joins: int, hidden: int) -> str:
    said = f"{tables:,} tables, {joins:,} pairs of them joined"
    said += f", the best {drawn:,} drawn" if drawn < joins else ""
    return f"{said}; {hidden:,} tables without a join are not shown" if hidden else said


def _joins(keys: pd.DataFrame, number: dict[str, int]) -> list[Join]:
    """One line for each pair of tables and direction, with all its keys."""
    found: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for key in keys.itertuples(index=False):
        found[number[key.table], number[key.references_table]].append(key)
    joins = []
    for (source, target), members in found.items():
        members.sort(key=lambda key: -key.score)
        lines = [
            f"{_plain(key.table)}.{_columns(key.column)} → "
            f"{_plain(key.references_table)}.{_columns(key.references_column)}"
            f"<br>containment {key.containment:.2f}, score {key.score:.2f}"
            for key in members[:TOLD]
        ]
        if len(members) > TOLD:
            lines.append(f"and {len(members) - TOLD:,} more")
        joins.append(Join(source, target, max(key.score for key in members), "<br>".join(lines)))
    return joins


def _add_joins(picture: go.Figure, joins: Sequence[Join], places: np.ndarray, title: str, dash: str) -> None:
    """Lines, and in the middle of each an arrowhead that says what joins."""
    if not joins:
        return
    start, end = (places[[getattr(j, side) for j in joins]] for side in ("source", "target"))
    loop = np.array([j.source == j.target for j in joins])
    gap = np.full(len(joins), np.nan)
    picture.add_scatter(
        x=np.column_stack([start[:, 0], end[:, 0], gap]).ravel(),
        y=np.column_stack([start[:, 1], end[:, 1], gap]).ravel(),
        mode="lines",
        line={"width": 1.5, "dash": dash, "color": "#888"},
        hoverinfo="skip",
        name=title,
        legendgroup=title,
    )
    along = end - start
    middle = (start + end) / 2
    middle[loop] += [0, -0.35]  # a table that refers to itself
    picture.add_scatter(
        x=middle[:, 0],
        y=middle[:, 1],
        mode="markers",
        marker={
            "symbol": np.where(loop, "circle-open", "triangle-up").tolist(),
            "angle": np.where(loop, 0, np.degrees(np.arctan2(along[:, 0], along[:, 1]))),
            "size": 9,
            "color": "#888",
        },
        hovertext=[j.says for j in joins],
        hoverinfo="text",
        name=title,
        legendgroup=title,
        showlegend=False,
    )


def _folders(names: Sequence[str]) -> Iterable[tuple[str, list[int]]]:
    """Places of the tables of each top folder, the largest folders first."""
    folders: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        head, slash, _ = name.partition("/")
        folders[head if slash else "tables"].append(i)
    ordered = sorted(folders.items(), key=lambda item: (-len(item[1]), item[0]))
    yield from ordered[:FOLDERS]
    if rest := [i for _, members in ordered[FOLDERS:] for i in members]:
        yield "other folders", rest


def layout(n: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Places of n points: float64[n, 2]; joined ones about 1 apart. The same for the same input."""
    places = np.zeros((n, 2))
    blocks = []
    for members in components(n, edges):
        place = {m: i for i, m in enumerate(members)}
        own = _springs(len(members), [(place[a], place[b]) for a, b in edges if a in place and a != b])
        own = (own - own.min(axis=0)) * _spread(own) * [WIDE, 1.0]
        blocks.append((members, own, own.max(axis=0) + np.array([2.4, 1.2])))
    # Shelves of a width that makes the whole about square, or somewhat wide.
    width = max([1.4 * np.sqrt(sum(w * h for _, _, (w, h) in blocks)), *(size[0] for _, _, size in blocks)], default=0)
    x = y = shelf = 0.0
    for members, own, (w, h) in blocks:
        if x and x + w > width:
            x, y, shelf = 0.0, y + shelf, 0.0
        places[members] = own + np.array([x, y])
        x, shelf = x + w, max(shelf, h)
    places[:, 1] *= -1  # the largest group on top
    return places


def _spread(places: np.ndarray) -> float:
    """How much wider points have to lie to have room: where all are joined with all, they draw together."""
    if len(places) < 3:
        return 1.0
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return max(1.0, ROOM / max(float(np.quantile(apart.min(axis=1), 0.1)), 0.05))


def components(n: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Connected groups of n points, the largest first."""
    parent = list(range(n))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    for a, b in edges:
        parent[root(a)] = root(b)
    groups: dict[int, list[int]] = defaultdict(list)
    for i in range(n):
        groups[root(i)].append(i)
    return sorted(groups.values(), key=lambda group: (-len(group), group))


def _springs(n: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Places of connected points: all push each other away, the joined ones are drawn together."""
    turn = np.arange(n) * 2.399963  # a spiral of golden angles: no two points in one place
    places = np.sqrt(np.arange(n))[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    a, b = np.array(sorted({(min(e), max(e)) for e in edges}), int).reshape(-1, 2).T
    for step in range(_STEPS if n > 1 else 0):
        apart = places[:, None] - places[None]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 0.01)
        move = (apart / distance[..., None] ** 2).sum(axis=1)
        pull = places[b] - places[a]
        pull *= np.sqrt((pull**2).sum(axis=1))[:, None]
        np.add.at(move, a, pull)
        np.subtract.at(move, b, pull)
        length = np.maximum(np.sqrt((move**2).sum(axis=1)), 1e-9)[:, None]
        places += move / length * np.minimum(length, 0.1 * np.sqrt(n) * (1 - step / _STEPS) + 0.01)
    return places


def _columns(column: Any) -> str:
    return _plain(column if isinstance(column, str) else f"({', '.join(column)})")


def _short(name: str) -> str:
    """A table's own name, cut to what fits beside a point."""
    stem = name.rsplit("/", 1)[-1].split(".", 1)[0] or name
    return stem if len(stem) <= 24 else stem[:23] + "…"


def _plain(text: str) -> str:
    """A name as plotly shows it letter by letter: its texts are a kind of HTML, and $…$ would be a formula."""
    for mark, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        text = text.replace(mark, entity)
    return text
