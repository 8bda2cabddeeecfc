"""The constrained fuzzy join (thesis section 4.6): rows that the program misses, joined without joining any row twice.

Texts are compared by words or q-grams, rare ones weighing more, by Jaccard or containment. Rows that the
program joined have their partner: what they look like to the keys that are left, and the keys that are joined to the
rows that are left, shows how alike texts of different things get here. The threshold of each comparison keeps the
share of such false matches low, and the comparison that then joins most rows is taken. Only pairs are joined that
are each other's best, whose numbers do not contradict each other (another year is no slip of the pen), and where every
piece that the program took has something like it in the key: the right title with another singer is another song.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

MOST = 4_000  # texts a side that are compared
PRECISION = 0.9  # of the pairs added here, as estimated

Tokens = frozenset[str]
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-9]+")


def words(text: str) -> Tokens:
    return frozenset(_WORD.findall(text))


def qgrams(q: int) -> Callable[[str], Tokens]:
    def tokens(text: str) -> Tokens:
        padded = "\1" * (q - 1) + " ".join(_WORD.findall(text)) + "\2" * (q - 1)
        return frozenset(padded[i : i + q] for i in range(len(padded) - q + 1))

    return tokens


def jaccard(shared: float, a: float, b: float) -> float:
    return shared / (a + b - shared)


def containment(shared: float, a: float, b: float) -> float:
    """Of the lighter in the heavier; a little Jaccard tells apart what is equally contained."""
    return 0.9 * shared / min(a, b) + 0.1 * jaccard(shared, a, b)


def numbers(text: str) -> Tokens:
    return frozenset(number.lstrip("0") for number in _NUMBER.findall(text))


def echoes(piece: str, key: str) -> bool:
    """Whether a key has something like a piece: a word with its beginning, a short form, or half of its 2-grams."""
    own, words_of_key = _WORD.findall(piece), _WORD.findall(key)
    if len("".join(own)) < 3:
        return True
    if any(a.startswith(b[:3]) or b.startswith(a[:3]) for a in own for b in words_of_key):
        return True
    grams = {word[i : i + 2] for word in own for i in range(len(word) - 1)}
    return 2 * sum(gram in key for gram in grams) >= max(1, len(grams))


TOKENS: dict[str, Callable[[str], Tokens]] = {"words": words, "2-grams": qgrams(2), "3-grams": qgrams(3)}
# With the least similarity that is worth a thought: half of the lighter text, a quarter of both together.
DISTANCES: dict[str, tuple[Callable[[float, float, float], float], float]] = {
    "Jaccard": (jaccard, 0.25), "containment": (containment, 0.5)}  # fmt: skip


@dataclass(frozen=True)
class Match:
    """A derived text and the key that it joins."""

    text: str
    key: str
    similarity: float


@dataclass(frozen=True)
class Rest:
    """What the fuzzy join added, and how: `estimate` is the share of right pairs among them."""

    matches: tuple[Match, ...] = ()
    tokens: str = ""
    distance: str = ""
    threshold: float | None = None
    estimate: float | None = None


class Similar:
    """Best and second best similarity of texts among others, by tokens weighted by inverse frequency."""

    def __init__(self, tokens: Callable[[str], Tokens], distance: Callable[[float, float, float], float],
                 corpus: Iterable[str]) -> None:  # fmt: skip
        self.tokens, self.distance = tokens, distance
        counts = Counter(token for text in corpus for token in tokens(text))
        total = max(2, sum(1 for _ in corpus)) if isinstance(corpus, Sequence) else max(2, max(counts.values()))
        self.weight = {token: math.log(1 + total / n) for token, n in counts.items()}

    def _weigh(self, tokens: Tokens) -> float:
        return math.fsum(self.weight.get(t, 0.0) for t in tokens)

    def index(self, texts: Sequence[str]) -> Callable[[str], list[tuple[float, int]]]:
        """A function that gives, for a text, (similarity, place) of the two most similar of `texts`; of those alone
        whose numbers are some or all of its own, or the other way round."""
        sets = [self.tokens(text) for text in texts]
        sizes = [self._weigh(s) for s in sets]
        figures = [numbers(text) for text in texts]
        holders: dict[str, list[int]] = defaultdict(list)
        for place, tokens in enumerate(sets):
            for token in tokens:
                holders[token].append(place)

        def best(text: str) -> list[tuple[float, int]]:
            own = self.tokens(text)
            size = self._weigh(own)
            shared: dict[int, float] = defaultdict(float)
            for token in sorted(own):
                weight = self.weight.get(token, 0.0)
                for place in holders.get(token, ()):
                    shared[place] += weight
            if not size:
                return []
            own_figures = numbers(text)
            scored = [
                (round(self.distance(s, size, sizes[p]), 9), p)
                for p, s in shared.items()
                if sizes[p] and (own_figures <= figures[p] or figures[p] <= own_figures)
            ]
            scored.sort(key=lambda item: (-item[0], item[1]))
            return scored[:2]

        return best


def fuzzy_rest(missed: Mapping[str, Sequence[str]], left: Sequence[str], joined: Sequence[str],
               precision: float = PRECISION) -> Rest:  # fmt: skip
    """Pairs of `missed` (derived texts that met no key, each with the pieces it was made of) and `left` (keys that no
    text met).

    joined: texts that did meet a key, the witnesses of how alike different things look.
    Returns an empty Rest where no comparison is precise enough."""
    if not missed or not left or not joined or max(len(missed), len(left)) > MOST:
        return Rest()
    joined, looks = joined[:MOST], list(missed)
    corpus = [*looks, *left, *joined]
    best = Rest()
    worth = 0.0
    for token_name, tokens in TOKENS.items():
        for distance_name, (distance, floor) in DISTANCES.items():
            similar = Similar(tokens, distance, corpus)
            pairs = [pair for pair in _mutual(similar, looks, left) if pair[0] >= floor]
            pairs = [(s, a, b) for s, a, b in pairs if all(echoes(piece, left[b]) for piece in missed[looks[a]])]
            false = (_false(similar, joined, left), len(missed)), (_false(similar, joined, looks), len(left))
            threshold, estimate, kept = _threshold(pairs, false, precision)
            if kept and estimate * len(kept) > worth:
                worth = estimate * len(kept)
                matches = tuple(Match(looks[a], left[b], s) for s, a, b in kept)
                best = Rest(matches, token_name, distance_name, threshold, estimate)
    return best


def _mutual(similar: Similar, missed: Sequence[str], left: Sequence[str]) -> list[tuple[float, int, int]]:
    """(similarity, place in missed, place in left) of pairs that are each other's only best, most similar first."""
    to_left, to_missed = similar.index(left), similar.index(missed)
    chosen: list[tuple[float, int, int]] = []
    forward = [_only_best(to_left(text)) for text in missed]
    backward = [_only_best(to_missed(text)) for text in left]
    for a, match in enumerate(forward):
        if match is not None and backward[match[1]] is not None and backward[match[1]][1] == a:  # type: ignore[index]
            chosen.append((match[0], a, match[1]))
    return sorted(chosen, key=lambda item: -item[0])


def _only_best(ranked: list[tuple[float, int]]) -> tuple[float, int] | None:
    if not ranked or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < 1e-9):
        return None
    return ranked[0]


def _false(similar: Similar, joined: Sequence[str], others: Sequence[str]) -> list[float]:
    """Similarities that are certainly false, highest first: of texts that have their partner to their best of others,
    since no row joins twice."""
    best = similar.index(others)
    return sorted((ranked[0][0] if (ranked := best(text)) else 0.0 for text in joined), reverse=True)


def _threshold(
    pairs: list[tuple[float, int, int]], false: Sequence[tuple[list[float], int]], precision: float
) -> tuple[float, float, list[tuple[float, int, int]]]:
    """The lowest similarity that keeps the estimated precision, the estimate, and the pairs it keeps.

    false: for either side, the similarities of false matches, and how many texts are to be joined. At worst none of
    these has a partner, and as many of them look alike by chance as of those whose partner is known (the bound that
    Benjamini and Hochberg set to false discoveries); a pair must look alike from both sides."""
    best: tuple[float, float, list[tuple[float, int, int]]] = (1.0, 0.0, [])
    for count in range(1, len(pairs) + 1):
        threshold = pairs[count - 1][0]
        if count < len(pairs) and pairs[count][0] == threshold:
            continue
        wrong = min(
            (sum(score >= threshold for score in scores) + 0.25) / (len(scores) + 0.5) * texts
            for scores, texts in false
        )
        estimate = 1 - wrong / count
        if estimate >= precision:
            best = threshold, estimate, pairs[:count]
    return best
