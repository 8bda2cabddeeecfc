"""The reference side as a task holds it: cut and indexed once, probed batch by batch. Runs in Spark's workers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from lakeview.estimate.similarity.collection import Vocabulary
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.prefix_join import PrefixIndex, prefix_index
from lakeview.estimate.similarity.texts import distinct_texts, identical
from lakeview.estimate.similarity.tokens import tokenise
from lakeview.join.fuzzy.advisor import Configuration
from lakeview.join.fuzzy.edit import EDITS, edit_matches, edit_pairs
from lakeview.join.fuzzy.every_pair import accepted, in_order, permitted
from lakeview.join.fuzzy.figures import Figures, agree
from lakeview.join.fuzzy.judgements import Judgements
from lakeview.join.fuzzy.matches import BestTwo, Block, best_two, scored
from lakeview.join.matching import Groups


class Reference:
    """The distinct texts of the right side under a configuration."""

    def __init__(self, texts: pa.Array, how: Configuration) -> None:
        self.right = distinct_texts(texts)
        self.how = how
        if how.measure not in EDITS:
            self.vocabulary = Vocabulary(*tokenise(self.right.text, how.tokeniser))
            self._index: tuple[int, PrefixIndex] | None = None
            self.figures = Figures.of(self.right.text) if how.numbers else None

    def match(self, keys: pa.Array, judgements: Judgements, joins: bool = True) -> tuple[pa.Array, pa.Array, pa.Array]:
        """(partner, similarity, accepted) of each canonical text: the right text that it joins, or null, and whether
        that was said by hand.

        joins: whether threshold and lead let texts join, or judgements alone.
        """
        left = distinct_texts(keys)
        best = self._best(left.text)
        same = identical(left, self.right)
        best.prefer(np.where(best.right >= 0, same, -1))
        reached = joins & (best.right >= 0) & (best.similarity >= self.how.threshold * (1 - 1e-15))
        ahead = best.lead >= self.how.lead - 1e-9
        if self.figures is not None:
            ahead &= agree(Figures.of(left.text), self.figures, np.arange(len(left.text)), best.right)
        reached &= ahead | (same == best.right)
        chosen, alike = judgements.decide(
            left.text, self.right.text, np.where(reached, best.right, -1), best.similarity
        )
        by_hand = judgements.are_accepted(left.text)
        partner = np.append(chosen, -1)[left.codes]  # the last for rows without a text
        value = np.append(alike, 0.0)[left.codes]
        missing = partner < 0
        found = self.right.text.take(pa.array(np.where(missing, 0, partner), mask=missing))
        return found.cast(pa.string()), pa.array(value, mask=missing), pa.array(np.append(by_hand, False)[left.codes])

    def match_all(
        self, keys: pa.Array, judgements: Judgements, joins: bool = True
    ) -> tuple[pa.Array, pa.Array, pa.Array]:
        """(place in `keys`, partner, similarity) of each pair that joins, and of each text that joins none, beside
        nulls; see `match`."""
        left, right = distinct_texts(keys), self.right.text
        blocks = self._pairs(left.text) if joins else ()
        figures = (Figures.of(left.text), self.figures) if self.figures is not None else None
        allowed = permitted(blocks, left.text, right, figures, judgements)
        a, b, similarity = in_order(chain(allowed, [accepted(judgements, left.text, right)]))
        rows, pair = Groups(a, len(left.text)).expand(left.codes, alone=True)
        missing = pair < 0
        found = right.take(pa.array(np.append(b, 0)[pair], mask=missing)).cast(pa.string())
        return pa.array(rows), found, pa.array(np.append(similarity, 0.0)[pair], mask=missing)

    def _best(self, texts: pa.Array) -> BestTwo:
        how = self.how
        if how.measure in EDITS:
            return edit_matches(texts, self.right.text, how.measure, how.floor)
        return best_two(**self._probed(texts))[0]

    def _pairs(self, texts: pa.Array) -> Iterator[Block]:
        how = self.how
        if how.measure in EDITS:
            yield from edit_pairs(texts, self.right.text, how.measure, how.threshold)
            return
        for ((a, b, similarity),) in scored(**self._probed(texts)):
            enough = similarity >= how.threshold * (1 - 1e-15)
            yield a[enough], b[enough], similarity[enough]

    def _probed(self, texts: pa.Array) -> dict[str, Any]:
        """What is asked of the index at its floor."""
        probes, right = self.vocabulary.collection(*tokenise(texts, self.how.tokeniser)), self.vocabulary.indexed
        largest, index = self.index(probes.largest)
        return {"probes": probes, "right": right, "texts": len(texts), "tokens": len(self.vocabulary),
                "largest": largest, "floors": [(self.how.measure, self.how.floor)], "index": index}  # fmt: skip

    def index(self, largest: int) -> tuple[int, PrefixIndex]:
        """The index of the texts at the floor, exact for sets of so many tokens: `largest` or more."""
        # A batch with a larger set than any before is indexed anew, powers of two apart.
        largest = 1 << int(max(largest, self.vocabulary.indexed.largest, 64) - 1).bit_length()
        if self._index is None or self._index[0] < largest:
            limit = bound(self.how.measure, self.how.floor, largest)
            self._index = largest, prefix_index(self.vocabulary.indexed, limit, len(self.vocabulary))
        return self._index


@lru_cache(maxsize=2)
def reference(payload: bytes, how: Configuration) -> Reference:
    """The reference in an Arrow stream, built once a worker process."""
    with pa.ipc.open_stream(payload) as stream:
        return Reference(stream.read_all().column(0).combine_chunks(), how)


def pack(texts: pa.Array) -> bytes:
    """Texts as they travel to the tasks."""
    sink = pa.BufferOutputStream()
    table = pa.table({"text": texts})
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
