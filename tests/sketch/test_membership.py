import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.sketch.membership import Membership

tokens = st.sets(
    st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 300), st.integers(2**64 - 300, 2**64 - 1)), max_size=60
)


@given(tokens, tokens)
def test_what_is_there_passes_and_what_passes_shares_the_leading_bits(there, asked):
    held = np.array(sorted(there), np.uint64)
    query = np.array(sorted(there | asked), np.uint64)
    members = Membership.of(held)
    kept = {int(token) >> (64 - members.bits - 8) for token in there}
    assert members.contains(query).tolist() == [int(token) >> (64 - members.bits - 8) in kept for token in query]
    assert members.contains(held).all()


@pytest.mark.parametrize("n", [5_000, 65_536, 100_000])
def test_one_absent_token_in_256_passes_in_twelve_bits_a_value(n):
    rng = np.random.default_rng(n)
    members = Membership.of(rng.integers(0, 2**64 - 1, n, dtype=np.uint64))
    passed = members.contains(rng.integers(0, 2**64 - 1, 50_000, dtype=np.uint64)).mean()
    assert passed == pytest.approx(members.false_positives, abs=4 * (members.false_positives / 50_000) ** 0.5)
    assert members.false_positives <= 1 / 256
    assert members.nbytes * 8 / n < 12
