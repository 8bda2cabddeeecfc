from dataclasses import replace

import numpy as np
import pytest
from unions import Unions

from lakeview.index import sketched
from lakeview.index.sketched import ENSEMBLE, LAZO, SCAN, Costs, Sketched, fit
from lakeview.sketch.minima import EMPTY

LOOK_UP, LOOK_AT_ALL = replace(Costs(), column=1.0, lazo=0.0, ensemble=0.0), replace(Costs(), lazo=1.0, ensemble=1.0)


@pytest.fixture(scope="module")
def lake():
    return Unions(2_500)


def found(part: Sketched, query: int, least: float) -> tuple[set[int], str]:
    """Columns with a sign of an overlap that may reach `least`, and how they were found."""
    signature, size = part.minima[query], float(part.sizes[query])
    registers = part.registers(np.array([query]))[0]
    places, choice = part.candidates(signature, size, least)
    assert (np.diff(places) > 0).all() and choice.candidates == len(places)
    places, signs = part.signs(signature, registers, size, places, least)
    return set(places[signs.seen].tolist()), choice.method


@pytest.mark.parametrize("least", [0.5, 0.8, 0.95])
def test_what_reaches_the_threshold_is_found_by_the_index_as_by_a_scan(lake, least):
    part = lake.sketches()
    wanted = by_scan = by_index = 0
    for query in range(0, len(part), 40):
        truth = set(np.flatnonzero(lake.containment(query) >= least).tolist())
        part.costs = LOOK_AT_ALL
        scanned, method = found(part, query, least)
        assert method == SCAN
        part.costs = LOOK_UP
        looked_up, method = found(part, query, least)
        assert method == ENSEMBLE and len(looked_up) < len(part) / 4
        wanted, by_scan, by_index = (
            wanted + len(truth),
            by_scan + len(truth & scanned),
            by_index + len(truth & looked_up),
        )
    assert wanted > 150 and by_scan >= 0.99 * wanted
    assert by_index >= by_scan - 0.01 * wanted  # 1 in 100 of those at the threshold


def test_without_a_threshold_the_index_finds_what_its_probability_says(lake):
    part = lake.sketches()
    expected, variance, missed, scanned_all = 0.0, 0.0, 0, 0
    for query in range(0, len(part), 40):
        overlap = lake.containment(query) * lake.sizes[query]
        part.costs = LOOK_AT_ALL
        scanned, _ = found(part, query, 0.0)
        part.costs = LOOK_UP
        looked_up, method = found(part, query, 0.0)
        assert method == LAZO and looked_up <= scanned
        truly = np.array(sorted(n for n in scanned if overlap[n] > 0))
        unseen = (1 - overlap[truly] / (lake.sizes[query] + lake.sizes[truly] - overlap[truly])) ** 256
        expected, variance = expected + unseen.sum(), variance + (unseen * (1 - unseen)).sum()
        missed += len(set(truly.tolist()) - looked_up)
        scanned_all += len(truly)
    assert scanned_all > 600 and missed <= expected + 4 * np.sqrt(variance)


def test_measured_costs_have_few_columns_scanned_and_many_looked_up(lake):
    few, many = lake.sketches(True, slice(40)), lake.sketches(True)
    assert few.costs == Costs() and many.costs != Costs()
    for least, index in ((0.0, LAZO), (0.8, ENSEMBLE)):
        assert {found(few, query, least)[1] for query in range(40)} == {SCAN}
        methods = [found(many, query, least)[1] for query in range(0, 2_500, 50)]
        assert methods.count(index) >= 45, methods


def test_the_cheaper_way_is_taken_and_told(lake):
    part = lake.sketches()
    signature, size = part.minima[7], part.sizes[7]
    entries = part.bands.entries(signature)
    even = Costs(scan=0.0, column=1e-6, registers=0.0, lazo=0.0, ensemble=0.0, entry=2.5e-3 / entries, candidate=0.0,
                 unpacked=0.0)  # fmt: skip
    for part.costs, method in (
        (replace(even, entry=even.entry * 0.9), LAZO),
        (replace(even, entry=even.entry * 1.1), SCAN),
    ):
        places, choice = part.candidates(signature, size, 0.0)
        assert choice.method == method and f"{len(places):,} of 2,500 columns" in str(choice)
    part.costs = LOOK_UP
    assert part.candidates(signature, size, 0.0, every=True)[1].method == SCAN


def test_a_much_larger_column_is_looked_at_though_nothing_agrees(lake):
    part = lake.sketches()
    part.costs = LOOK_UP
    tiny = np.full(256, EMPTY)
    tiny[3] = np.uint64(3 << 56) + np.uint64(1)
    places, choice = part.candidates(tiny, 1.0, 0.9)
    assert choice.method == ENSEMBLE and len(places) == len(part)


def test_kept_band_tables_are_those_that_were_made(lake):
    made = lake.sketches()
    arrays = {name: getattr(made.bands, name).ravel() for name in sketched.ARRAYS}
    again = sketched.opened(lake.minima, lake.packed, lake.sizes, arrays, Costs())
    assert np.array_equal(again.bands.ids, made.bands.ids) and np.array_equal(again.bands.sizes, made.bands.sizes)
    for part in (made, again):
        part.costs = LOOK_UP
    for query in (3, 99, 1_000):
        for least in (0.0, 0.7):
            one, other = (part.candidates(lake.minima[query], lake.sizes[query], least)[0] for part in (made, again))
            assert np.array_equal(one, other) and query in one


def test_registers_are_the_same_unpacked_one_by_one_or_together(lake):
    part = lake.sketches()
    some = np.array([5, 17, 2_000])
    alone = part.registers(some)
    assert "all_registers" not in part.__dict__
    assert np.array_equal(part.all_registers[some], alone) and np.array_equal(part.registers(some), alone)


def test_costs_are_kept_as_numbers():
    columns = Unions(80).sketches()
    costs = fit(columns)
    assert Costs(*costs.array().tolist()) == costs
    assert (costs.array() > 0).all()


def test_nothing_may_be_left_to_look_at(lake):
    part = lake.sketches()
    part.costs = LOOK_UP
    alone = Unions(1, seed=99)
    places, choice = part.candidates(alone.minima[0], alone.sizes[0], 0.9)
    assert (len(places), choice.method) == (0, ENSEMBLE)
    places, signs = part.signs(alone.minima[0], alone.sketches().all_registers[0], alone.sizes[0], places, 0.9)
    assert len(places) == len(signs.seen) == 0
