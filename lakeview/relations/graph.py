"""The join graph of a lake as a picture: tables are points, joins are lines between them.

A table's place comes from the joins alone (Fruchterman and Reingold 1991), each connected group laid out by itself and
the groups set beside each other, the largest first; names then push each other aside. In the legend a click hides a
folder's tables with their lines, a double click shows one alone. A line between two folders is half the one's and half
the other's (partial edges: Bruckner et al. 2012): beside a hidden folder, stubs say that there is more. A menu hides
joins of low scores. Where there are many tables, another goes to one of those with most joins, and to those it is
joined with.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lakeview.relations.springs import apart, fitted, layout

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

ALL_SHOWN = 40  # tables up to which those without a join are shown too
WIDTH = 720  # px of the picture without its legends; in a wider cell there is room on both sides
LETTER, LINE = 6.6, 16  # px of a name: the width of a letter, the height
MARGIN, EDGE = 80, 12  # px above it, and within it around all points
LABELS = 40  # tables that get their name beside them; of more, those with most joins
DRAWN = 2_000  # pairs of joined tables that are drawn, the best: a browser draws no more of them smoothly
FINE = 300  # pairs from which on their lines are thin
TOLD = 8  # keys that the hover of one pair lists
FOLDERS = 8  # entries of the legend; the tables of smaller folders go together
MENU = 30  # tables that the menu goes to
BANDS = ((0.8, "score from 0.8"), (0.5, "score 0.5 to 0.8"), (0.0, "score below 0.5"))
_LINES = ("solid", "dash", "dot")  # told by pattern too
COLOURS = ("#4c8bd6", "#d9822b", "#2f9e77", "#b5629b", "#8a7f2a", "#7a6fd0", "#c8553d", "#3b97ab", "#888888")
INK = "#888"  # of names and lines: readable on the light and on the dark page


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
    degree = np.bincount([end for j in every for end in (j.source, j.target)], minlength=len(names))
    by_degree = np.argsort(-degree, kind="stable").tolist()
    shown = {i: _short(names[i]) for i in by_degree[:LABELS]}
    sizes = np.maximum((10 + 4 * np.sqrt(degree)) * min(1.0, math.sqrt(100 / max(len(names), 1))), 5)
    height = int(np.clip(360 + 8 * len(names), 400, 900))
    frame = (WIDTH, height - MARGIN - 10)
    places = _places(joins, sizes, shown, frame)
    picture = go.Figure()
    folders = list(_folders(names))
    bands: list[int | None] = []  # of each trace so far: that of its joins, None where it has none
    for folder, members in folders:
        bands += _add_joins(picture, joins, places, set(members), _plain(folder))
    for band in sorted({_band(join) for join in joins}):
        _add_key(picture, band)
        bands.append(None)
    for (folder, members), colour in zip(folders, COLOURS, strict=False):
        says = [
            f"{_plain(names[i])}<br>{rows[names[i]]:,} rows, {columns[names[i]]:,} columns, {degree[i]:,} joins"
            for i in members
        ]
        picture.add_scatter(
            x=places[members, 0],
            y=places[members, 1],
            name=_plain(folder),
            legendgroup=_plain(folder),
            mode="markers+text",
            text=[_plain(shown.get(i, "")) for i in members],
            textposition="top center",
            hovertext=says,
            hoverinfo="text",
            marker={"size": sizes[members], "color": colour, "line": {"width": 1}},
        )
    menus = _score_menu([*bands, *[None] * len(folders)])
    if len(names) > ALL_SHOWN:
        menus.insert(0, _menu(names, places, joins, by_degree[:MENU], frame))
    picture.update_layout(updatemenus=menus)
    hidden = len(tables) - len(names)
    picture.update_layout(
        title={
            "text": _title(len(names), len(joins), len(every), hidden),
            "font": {"size": 14},
            "x": 0.01,
            "y": 0.985,
            "yanchor": "top",
        },
        template="none",
        font={"color": INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hovermode="closest",
        dragmode="pan",
        height=height,
        margin={"l": 10, "r": 10, "t": MARGIN, "b": 10},
        legend={"itemclick": "toggle", "itemdoubleclick": "toggleothers", "itemsizing": "constant"},
        legend2={"itemclick": False, "itemdoubleclick": False, "y": 0, "yanchor": "bottom"},
        xaxis={"visible": False, "range": [0, frame[0]]},
        yaxis={"visible": False, "range": [0, frame[1]], "scaleanchor": "x"},
    )
    return picture


def _places(
    joins: Sequence[Join], sizes: np.ndarray, shown: Mapping[int, str], frame: tuple[float, float]
) -> np.ndarray:
    """Where the points lie in a frame, px: float64[n, 2]; a point's box reaches to the top of its name."""
    boxes = np.column_stack([sizes, sizes])
    for i, name in shown.items():
        boxes[i] = max(boxes[i, 0], LETTER * len(name)) + 6, boxes[i, 1] + LINE
    middles = fitted(layout(len(sizes), [(join.source, join.target) for join in joins]), frame)
    middles = np.clip(middles, EDGE, np.array(frame) - EDGE)
    named = list(shown)
    middles[named] = apart(middles[named], boxes[named], frame)
    return middles - np.column_stack([np.zeros(len(sizes)), (boxes[:, 1] - sizes) / 2])


def _menu(
    names: Sequence[str], places: np.ndarray, joins: Sequence[Join], chosen: Sequence[int], frame: tuple[float, float]
) -> dict[str, Any]:
    """A menu that shows a part of the picture: a table and those it is joined with, or all."""
    near: dict[int, set[int]] = {i: {i} for i in chosen}
    for join in joins:
        for one, other in ((join.source, join.target), (join.target, join.source)):
            if one in near:
                near[one].add(other)
    every = {"xaxis.range": [0, frame[0]], "yaxis.range": [0, frame[1]]}
    buttons = [{"label": "all tables", "method": "relayout", "args": [every]}]
    for i in sorted(chosen, key=lambda i: names[i]):
        part = places[sorted(near[i])]
        margin = np.array([90, 50])
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


def _band(join: Join) -> int:
    return next(band for band, (least, _) in enumerate(BANDS) if join.score >= least)


def _add_joins(
    picture: go.Figure, joins: Sequence[Join], places: np.ndarray, members: set[int], folder: str
) -> list[int | None]:
    """A folder's share of the lines, by band: those between its tables, its half of those to others, and the arrowheads
    of those that begin in it, which say what joins. Returns the band of each trace."""
    added: list[int | None] = []
    for band, dash in enumerate(_LINES):
        mine = [j for j in joins if _band(j) == band and (j.source in members or j.target in members)]
        if not mine:
            continue
        start, end, middle = _ends(mine, places)
        fine = len(joins) > FINE
        starts, ends = (np.array([getattr(j, side) in members for j in mine]) for side in ("source", "target"))
        one, other = np.where(starts[:, None], start, middle), np.where(ends[:, None], end, middle)
        gap = np.full(len(mine), np.nan)
        picture.add_scatter(
            x=np.column_stack([one[:, 0], other[:, 0], gap]).ravel(),
            y=np.column_stack([one[:, 1], other[:, 1], gap]).ravel(),
            mode="lines",
            line={"width": 0.6 if fine else 1.5, "dash": dash, "color": INK},
            hoverinfo="skip",
            legendgroup=folder,
            showlegend=False,
        )
        added.append(band)
        if own := [j for j in mine if j.source in members]:
            _add_arrows(picture, own, places, folder, 5 if fine else 9)
            added.append(band)
    return added


def _add_arrows(picture: go.Figure, joins: Sequence[Join], places: np.ndarray, folder: str, size: float) -> None:
    """In the middle of each line an arrowhead that says what joins; a ring below a table that refers to itself."""
    start, end, middle = _ends(joins, places)
    loop = np.array([j.source == j.target for j in joins])
    along = end - start
    middle[loop] += [0, -16]
    picture.add_scatter(
        x=middle[:, 0],
        y=middle[:, 1],
        mode="markers",
        marker={
            "symbol": np.where(loop, "circle-open", "triangle-up").tolist(),
            "angle": np.where(loop, 0, np.degrees(np.arctan2(along[:, 0], along[:, 1]))),
            "size": size,
            "color": INK,
        },
        hovertext=[j.says for j in joins],
        hoverinfo="text",
        legendgroup=folder,
        showlegend=False,
    )


def _ends(joins: Sequence[Join], places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the lines begin, end and have their middle: float64[len(joins), 2] each."""
    start, end = (places[[getattr(j, side) for j in joins]] for side in ("source", "target"))
    return start, end, (start + end) / 2


def _add_key(picture: go.Figure, band: int) -> None:
    """What a pattern of lines means, in a legend of its own that hides nothing."""
    line = {"width": 1.5, "dash": _LINES[band], "color": INK}
    name = f"joins, {BANDS[band][1]}"
    picture.add_scatter(x=[None], y=[None], mode="lines", line=line, name=name, legend="legend2", hoverinfo="skip")


def _score_menu(bands: Sequence[int | None]) -> list[dict[str, Any]]:
    """A menu that hides joins of low scores; none where there is one band. bands: of each trace, None for no joins.

    It works by opacity, which leaves to the legend what is visible."""
    there = sorted({band for band in bands if band is not None})
    buttons = []
    for last in reversed(there):
        faint = [band is not None and band > last for band in bands]
        shown = {"opacity": [0 if f else 1 for f in faint]}
        label = "all joins" if last == there[-1] else f"joins, score from {BANDS[last][0]}"
        buttons.append({"label": label, "method": "restyle", "args": [shown]})
    menu = {"buttons": buttons, "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"}
    return [menu] if len(there) > 1 else []


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
