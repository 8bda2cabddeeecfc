"""Is the row below a header one of units ("-, m, l/s, year"), not of values?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakeview.catalog.reading.header import are_numbers, is_null_mark, is_number

_UNIT_WORDS = """
    m cm mm km µm um nm ft in inch inches mi mile miles yd yard yards metre metres meter meters feet
    g kg mg µg ug ng t lb lbs oz gram grams tonne tonnes ton tons pound pounds
    s sec secs second seconds ms µs us ns min mins minute minutes h hr hrs hour hours d day days week weeks month months
    yr yrs year years a l ml cl dl hl litre litres liter liters gal gallon gallons ha acre acres sqm sqft m2 m3 km2 cm2
    cm3 ft2 ft3 mm2 c f k degc degf celsius fahrenheit kelvin deg degree degrees rad radian radians
    pa hpa kpa mpa bar mbar psi atm mmhg v mv kv volt volts ma amp amps ampere ohm ohms w kw mw gw watt watts wh kwh mwh
    gwh twh j kj mj gj kcal cal n kn nm hz khz mhz ghz db dba lux lx lm cd mol mmol µmol umol nmol ppm ppb ppt psu ph bq
    percent pct usd eur gbp chf jpy cny inr cad aud sek nok dkk pln czk dollar dollars euro euros cents count counts
    number persons people units unit pcs pieces items integer int float double numeric kb mb gb tb bit bits byte bytes
    knots kt kts mph kmh kph rpm bpm cfs mgd dimensionless fraction ratio index score points
"""
_LABEL_WORDS = (
    "text string str char varchar name names code codes id label category date datetime time timestamp none unitless "
    "yyyy-mm-dd yyyy yyyymmdd dd.mm.yyyy dd/mm/yyyy mm/dd/yyyy hh:mm hh:mm:ss utc iso bool boolean"
)
_UNITS = frozenset(_UNIT_WORDS.split())
_LABELS = frozenset(_LABEL_WORDS.split())
_PART = re.compile(r"[^\W\d_]+[23]?|[%°µ$€£Ω]")
_COMPOUND = re.compile(r"[%°$€£‰Ω]|°\s?[CFK]|[^\W\d_]+[²³]|[^\W\d_]+(\^|\*\*)?-?\d")


def is_units_row(row: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether `row` has the units of the columns of `rows`, which follow it.

    Over columns of numbers, two at least, stand units, unknown words over no more of them, or nothing; over the others
    nothing, or what says of which kind they are. No value of these rows is such a unit itself. A lone letter among
    empty cells is none.
    """
    if len(rows) < 2 or len(row) < 2 or any(map(is_number, row)) or not any(map(is_unit, row)):
        return False
    if len("".join(row).strip()) < 2:
        return False
    units = unknown = 0
    for place, cell in enumerate(map(str.strip, row)):
        column = [below[place].strip() for below in rows if place < len(below)]
        if are_numbers(column):
            units += is_unit(cell) and sum(map(is_number, column)) > 1
            unknown += not (is_null_mark(cell) or is_unit(cell))
        elif not (is_null_mark(cell) or _is_bracketed(cell) or cell.casefold() in _LABELS or _is_date_like(cell)):
            return False
        if not is_null_mark(cell) and cell in column:
            return False
    return units >= max(1, unknown)


def is_unit(cell: str) -> bool:
    """Whether a cell is a unit of measurement: "m", "l/s", "[kg]", "°C", "µg m-3", "years"."""
    cell = cell.strip().replace("\u03bc", "\u00b5")  # the Greek letter, the micro sign
    if _is_bracketed(cell) or cell.lower() in _UNITS or _COMPOUND.fullmatch(cell):
        return True
    parts = re.split(r"[\s/·*.]+", cell.lower())
    return len(parts) > 1 and all(_is_part(part) for part in parts) and any(part in _UNITS for part in parts)


def _is_part(part: str) -> bool:
    return part in _UNITS or part in ("1", "per", "of", "10", "100", "1000") or bool(
        _COMPOUND.fullmatch(part) or _PART.fullmatch(part)
    )  # fmt: skip


def _is_bracketed(cell: str) -> bool:
    return len(cell) > 1 and cell[0] + cell[-1] in ("[]", "()", "{}", "<>")


def _is_date_like(cell: str) -> bool:
    """A pattern of dates, such as "YYYY-MM-DD hh:mm"."""
    return bool(re.fullmatch(r"(?i)[ymdhs:/. t-]{4,}", cell)) and "y" in cell.casefold()
