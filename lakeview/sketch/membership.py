"""A membership filter: which tokens of a small column are in a large one, wrong for one absent token in 256.

Sublinear sketches cannot decide whether a few values lie in many (BML, Theorem 1); a filter of 9 to 12 bits a value
does. Tokens are uniform, so their leading bits are all that is kept: a bucket number, one bucket a value on average,
and 8 further bits. Sorted, the buckets are told by a bit vector, a 0 for each bucket's end and a 1 for each value (the
upper half of an Elias-Fano code); the 8 bits lie in an array beside it. It is built by one sort and answers by
array operations; both arrays memory-map.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BLOCK_BITS = 256  # of the vector to an entry of its directory


@dataclass(frozen=True)
class Membership:
    """Filter of n distinct tokens.

    low      uint8[n], the 8 bits after the bucket's, in order
    buckets  uint8[ceil(bits / 256) * 32], the bit vector, most significant bit first, padded by ones
    ends     uint32[ceil(bits / 256)], zeros before each block
    bits     leading bits of a token that name its bucket
    """

    low: np.ndarray
    buckets: np.ndarray
    ends: np.ndarray
    bits: int

    @classmethod
    def of(cls, tokens: np.ndarray) -> Membership:
        """From distinct tokens uint64[n]."""
        n = len(tokens)
        bits = max(int(n - 1).bit_length(), 1) if n else 1
        leading = np.sort(np.asarray(tokens, np.uint64) >> np.uint64(64 - bits - 8))
        vector = np.ones(-(-(n + (1 << bits)) // BLOCK_BITS) * BLOCK_BITS, bool)
        # Bucket b ends after all values of buckets up to b and the b ends before.
        counts = np.bincount((leading >> np.uint64(8)).astype(np.int64), minlength=1 << bits)
        vector[np.cumsum(counts) + np.arange(1 << bits)] = False
        zeros = np.cumsum((~vector).reshape(-1, BLOCK_BITS).sum(axis=1))
        ends = np.concatenate([[0], zeros[:-1]]).astype(np.uint32)
        return cls((leading & np.uint64(255)).astype(np.uint8), np.packbits(vector), ends, bits)

    def contains(self, tokens: np.ndarray) -> np.ndarray:
        """Whether each token uint64[q] may be there: bool[q]. False is certain."""
        leading = np.asarray(tokens, np.uint64) >> np.uint64(64 - self.bits - 8)
        bucket, low = (leading >> np.uint64(8)).astype(np.int64), (leading & np.uint64(255)).astype(np.uint8)
        start, stop = self._starts(bucket), self._starts(bucket + 1)
        found = np.zeros(len(leading), bool)
        for step in range(int((stop - start).max(initial=0))):  # a bucket holds one value on average, seldom eight
            at = start + step
            here = at < stop
            found[here] |= self.low[at[here]] == low[here]
        return found

    @property
    def false_positives(self) -> float:
        """The chance that an absent token passes."""
        return len(self.low) / 2 ** (self.bits + 8)

    @property
    def nbytes(self) -> int:
        return self.low.nbytes + self.buckets.nbytes + self.ends.nbytes

    def _starts(self, bucket: np.ndarray) -> np.ndarray:
        """Values before each bucket: one place after the end of the bucket before it, less the ends up to there."""
        end = np.maximum(bucket - 1, 0)
        block = np.searchsorted(self.ends, end, side="right") - 1
        inside = np.unpackbits(self.buckets.reshape(-1, BLOCK_BITS // 8)[block], axis=1) == 0
        nth = end - self.ends[block].astype(np.int64) + 1
        place = (np.cumsum(inside, axis=1, dtype=np.int32) >= nth[:, None]).argmax(axis=1)
        return np.where(bucket == 0, 0, block * BLOCK_BITS + place - end)
