"""Places for the points of a graph, from its edges alone (Fruchterman and Reingold 1991).

Springs draw joined points together, each connected group by itself; the groups lie beside each other on shelves. Set
into a frame, points with names are pushed apart until no name covers another's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_STEPS = 120
_PUSHES = 400
_MET = 0.5  # of a pixel: boxes that overlap by less are apart
ROOM = 0.8  # distance that nine tables of ten keep from the next one
WIDE = 1.7  # names are wider than they are high


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


def fitted(places: np.ndarray, frame: tuple[float, float]) -> np.ndarray:
    """The places stretched over a frame, from 0 to its width and height."""
    if not len(places):
        return places
    span = np.ptp(places, axis=0)
    return np.where(span > 0, (places - places.min(axis=0)) / np.maximum(span, 1e-9), 0.5) * frame


def apart(places: np.ndarray, sizes: np.ndarray, frame: tuple[float, float]) -> np.ndarray:
    """The middles of boxes (float64[n, 2], as `sizes`) moved until none overlaps another, as far as there is room.

    Two that overlap push each other the shorter way out; none leaves the frame."""
    inner = np.minimum(sizes / 2, np.array(frame) / 2)
    places = np.clip(places, inner, frame - inner)
    order = np.sign(np.arange(len(places))[:, None] - np.arange(len(places)))[..., None]
    for _ in range(_PUSHES):
        between = places[:, None] - places
        over = (sizes[:, None] + sizes) / 2 - np.abs(between)
        shorter = over == over.min(axis=2, keepdims=True)
        push = np.where(shorter & (over > _MET).all(axis=2, keepdims=True), over, 0.0)
        push[np.arange(len(places)), np.arange(len(places))] = 0.0
        if not push.any():
            break
        move = (push * np.where(between == 0, order, np.sign(between))).sum(axis=1)
        places = np.clip(places + move / 3, inner, frame - inner)
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
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not n:
        return []
    a, b = np.array(edges, int).reshape(-1, 2).T
    count, group = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), directed=False)
    groups = [np.flatnonzero(group == g).tolist() for g in range(count)]
    return sorted(groups, key=lambda group: (-len(group), group))


def _springs(n: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Places of connected points: all push each other away, the joined ones are drawn together."""
    turn = np.arange(n) * 2.399963  # a spiral of golden angles: no two points in one place
    places = np.sqrt(np.arange(n)) * np.exp(1j * turn)  # complex: x + iy
    a, b = np.array(sorted({(min(e), max(e)) for e in edges}), int).reshape(-1, 2).T
    for step in range(_STEPS if n > 1 else 0):
        between = places[:, None] - places
        between[between == 0] = np.inf
        move = (1 / between).sum(axis=1).conj()  # of length 1 / distance each
        pull = places[b] - places[a]
        pull *= np.abs(pull)
        np.add.at(move, a, pull)
        np.subtract.at(move, b, pull)
        length = np.maximum(np.abs(move), 1e-9)
        places += move / length * np.minimum(length, 0.1 * np.sqrt(n) * (1 - step / _STEPS) + 0.01)
    return np.column_stack([places.real, places.imag])
