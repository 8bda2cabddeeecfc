import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeview.sketch.hyperloglog import (
    CountingRegisters,
    cardinality,
    merge_registers,
    pack_registers,
    registers,
    unpack_registers,
)
from lakeview.sketch.minima import bucket_minima

token = st.one_of(st.integers(0, 2**64 - 2), st.integers(0, 2**20), st.integers(0, 63).map(lambda bit: 1 << bit))
tokens = st.lists(token, max_size=60).map(lambda t: np.array(t, dtype=np.uint64))
bits = st.integers(0, 12)


def slowly(values, m):
    """A register: the largest place of the first 1 after the m bucket bits, as a string of bits has it."""
    found = [0] * (1 << m)
    for value in values.tolist():
        text = format(value, "064b")
        rest = text[m:]
        place = rest.index("1") + 1 if "1" in rest else len(rest) + 1
        bucket = int(text[:m] or "0", 2)
        found[bucket] = max(found[bucket], place)
    return found


@given(tokens, bits)
def test_registers_are_the_places_of_the_first_one(values, m):
    assert registers(bucket_minima(values), m).tolist() == slowly(values, m)


@given(tokens, tokens, bits)
def test_merged_registers_equal_those_of_the_union(a, b, m):
    merged = merge_registers(registers(bucket_minima(a), m), registers(bucket_minima(b), m))
    assert np.array_equal(merged, registers(bucket_minima(np.concatenate([a, b])), m))


@given(st.lists(st.integers(0, 63), min_size=4, max_size=64).map(lambda v: v[: len(v) // 4 * 4]))
def test_packing_six_bits_loses_nothing(values):
    values = np.array(values, dtype=np.uint8)
    assert np.array_equal(unpack_registers(pack_registers(values)), values)


def test_a_column_packs_into_three_kilobytes_and_rows_pack_alone():
    rows = np.random.default_rng(0).integers(0, 54, (3, 4096)).astype(np.uint8)
    packed = pack_registers(rows)
    assert packed.shape == (3, 3072)
    assert np.array_equal(packed[1], pack_registers(rows[1]))
    assert np.array_equal(unpack_registers(packed), rows)


@pytest.mark.parametrize("n", [1, 30, 1_000, 10_000, 200_000])
def test_cardinality_and_its_standard_error(n):
    rng = np.random.default_rng(n)
    trials = 25
    errors, said = [], []
    for _ in range(trials):
        value, error = cardinality(registers(bucket_minima(rng.integers(0, 2**64 - 1, n, dtype=np.uint64))))
        errors.append(value / n - 1)
        said.append(error / n)
    assert abs(np.mean(errors)) < 4 * 0.0165 / np.sqrt(trials)
    assert np.sqrt(np.mean(np.square(errors))) < 1.6 * np.mean(said)
    assert 0.009 < np.mean(said) < 0.0170


def test_nothing_has_cardinality_zero():
    assert cardinality(np.zeros(4096, np.uint8)) == (0.0, 0.0)


@given(tokens, tokens, bits)
def test_deleting_leaves_the_registers_of_what_is_left(kept, gone, m):
    counting = CountingRegisters(m)
    counting.add(np.concatenate([kept, gone]))
    counting.remove(gone)
    assert counting.registers().tolist() == slowly(kept, m)


def test_deleting_what_was_never_there_changes_nothing():
    counting = CountingRegisters(4)
    counting.add(np.array([5, 9], np.uint64))
    before = counting.counts.copy()
    with pytest.raises(ValueError, match="never added"):
        counting.remove(np.array([5, 2**63], np.uint64))
    assert np.array_equal(counting.counts, before)
