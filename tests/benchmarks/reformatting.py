"""Columns that people have, written another way than the tables that they join: what auto_join makes of them, and
whether search by transformation finds the table.

python tests/benchmarks/reformatting.py SCHEMAS DEMO [--kinds WORD ...] [--codes | --search STORE [--lake FOLDER ...]]

SCHEMAS: folders of CSV tables (AdventureWorks DW, classicmodels, Northwind, world, Spider's), DEMO: the demo lake.
Each kind takes up to 300 values of a column, writes them another way and puts a column of noise beside them; a tenth
has no partner, as its letters and digits are others. The table stays as it is. With --search, all folders are indexed
in STORE (once), and the values are searched for in them: a row is right where the first hit joins it with a row that
holds the value it was made from, be it in the table that it is from or in another. With --codes the plan's code is
executed in pandas, PySpark and SQL: each must give the pairs of the plan.
"""

from __future__ import annotations

import argparse
import random
import re
import string
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pandas as pd

import lakeview as lv
from lakeview.join.side import Side
from lakeview.pipeline import session

ROWS = 300
ALONE = 0.1  # of them without partner
Cells = str | tuple[str, ...] | None
Pairs = set[tuple[int, int]]


@dataclass(frozen=True)
class Kind:
    """make: from the values of some columns of a table what the analyst has in her one or two columns."""

    name: str
    table: str
    columns: tuple[str, ...]
    make: Callable[..., Cells]


def date(here: str, there: str) -> Callable[[str], str]:
    """From one format to another; %-d and %-m without a zero."""
    return lambda text: datetime.strptime(text, here).strftime(there)


def alnum(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def slug(text: str) -> str | None:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") if text.isascii() else None


def login(first: str, last: str) -> str:
    return f"{first[0]}{last}".lower()


PLAYERS, ORDERS, DAYS = "spider_wta_1/players.csv", "classicmodels/orders.csv", "awdw/DimDate.csv"
STAFF, RESELLER, BUYER = "spider_hr_1/employees.csv", "awdw/DimReseller.csv", "awdw/ProspectiveBuyer.csv"
CLIENTS, NORTH, PRODUCT = "classicmodels/customers.csv", "northwind/Customers.csv", "classicmodels/products.csv"
COUNTRY, AIRPORT, WEATHER = "world/country.csv", "examples/airports.csv", "examples/seattle-weather.csv"
PAID, SHIPPED, STATION = "classicmodels/payments.csv", "spider_bike_1/trip.csv", "spider_bike_1/station.csv"

KINDS = [
    # names
    Kind("name, last first", NORTH, ("ContactName",), lambda n: ", ".join(n.rsplit(" ", 1)[::-1])),
    Kind("name with initial", NORTH, ("ContactName",), lambda n: f"{n.split()[-1]}, {n[0]}."),
    Kind("name with title", NORTH, ("ContactName",), lambda n: f"Contact: {n}"),
    Kind("name in capitals and underscores", NORTH, ("ContactName",), lambda n: n.upper().replace(" ", "_")),
    Kind("full name of two columns", PLAYERS, ("first_name", "last_name"), lambda a, b: f"{a} {b}"),
    Kind("last, first of two columns", PLAYERS, ("last_name", "first_name"), lambda b, a: f"{b}, {a}"),
    Kind("staff of two columns", STAFF, ("FIRST_NAME", "LAST_NAME"), lambda a, b: f"{b} {a}"),
    Kind("two columns to a name", NORTH, ("ContactName",), lambda n: tuple(n.rsplit(" ", 1))),
    Kind("two columns, last name first", NORTH, ("ContactName",), lambda n: tuple(n.rsplit(" ", 1)[::-1])),
    # logins, mails, slugs, urls, files
    Kind("mail of a login", STAFF, ("EMAIL",), lambda t: f"{t.lower()}@example.com"),
    Kind("login of a mail", BUYER, ("EmailAddress",), lambda t: t.split("@")[0]),
    Kind("mail with a name", BUYER, ("EmailAddress",), lambda t: f"<mailto:{t}>"),
    Kind("two columns to a login", STAFF, ("EMAIL", "FIRST_NAME", "LAST_NAME"), lambda _, a, b: (a, b)),
    Kind("mail of two columns", STAFF, ("LAST_NAME", "FIRST_NAME"), lambda b, a: f"{a}.{b}@corp.example".lower()),
    Kind("slug of a product", PRODUCT, ("productName",), slug),
    Kind("slug of a shop", RESELLER, ("ResellerName",), slug),
    Kind("url of a firm", NORTH, ("CompanyName",), lambda t: (s := slug(t)) and f"https://shop.example/c/{s}?ref=1"),
    Kind("file of a product", PRODUCT, ("productCode",), lambda t: f"{t.lower()}_front.jpg"),
    Kind("path of a product", PRODUCT, ("productCode",), lambda t: f"/img/2024/{t}.png"),
    Kind("url of a product", PRODUCT, ("productCode",), lambda t: f"https://cdn.example/p/{t.replace('_', '-')}/view"),
    Kind("page of a country", COUNTRY, ("name",), lambda t: f"/wiki/{t.replace(' ', '_')}"),
    # codes and padded ids
    Kind("code in a sentence", RESELLER, ("ResellerAlternateKey",), lambda t: f"Reseller no. {t[2:]}"),
    Kind("code without zeros", RESELLER, ("ResellerAlternateKey",), lambda t: f"AW-{int(t[2:])}"),
    Kind("code's number", RESELLER, ("ResellerAlternateKey",), lambda t: str(int(t[2:]))),
    Kind("order with a prefix", "awdw/FactInternetSalesReason.csv", ("SalesOrderNumber",), lambda t: f"PO/{t[2:]}/A"),
    Kind("check number", PAID, ("checkNumber",), lambda t: f"{t[:2]}-{t[2:]}"),
    Kind("product code with hyphens", PRODUCT, ("productCode",), lambda t: t.replace("_", "-")),
    Kind("product code bare", PRODUCT, ("productCode",), lambda t: t.replace("_", "")),
    Kind("padded player", PLAYERS, ("player_id",), lambda t: f"P{int(t):08d}"),
    Kind("padded trip", SHIPPED, ("id",), lambda t: f"{int(t):010d}"),
    Kind("employee's code", "pubs/employee.csv", ("emp_id",), lambda t: f"{t[:3]}-{t[3:8]}-{t[8]}"),
    Kind("code and name", COUNTRY, ("code", "name"), lambda c, n: f"{n} ({c})"),
    Kind("name of code and name", COUNTRY, ("name", "code"), lambda n, c: f"{c} - {n}"),
    Kind("airport", AIRPORT, ("iata",), lambda t: f"K{t}" if t.isalpha() else None),
    Kind("airport and city", AIRPORT, ("iata", "city"), lambda a, c: f"{c} ({a})" if a.isalpha() else None),
    Kind("ip as four", "awdw/DimGeography.csv", ("IpAddressLocator",), lambda t: t.replace(".", "-")),
    Kind("ip with a port", "awdw/DimGeography.csv", ("IpAddressLocator",), lambda t: f"{t}:8080"),
    # dates
    Kind("date to US", STAFF, ("HIRE_DATE",), date("%Y-%m-%d", "%m/%d/%Y")),
    Kind("date to US, short", STAFF, ("HIRE_DATE",), date("%Y-%m-%d", "%-m/%-d/%y")),
    Kind("date to European", ORDERS, ("orderDate",), date("%Y-%m-%d", "%d.%m.%Y")),
    Kind("date to compact", ORDERS, ("orderDate",), date("%Y-%m-%d", "%Y%m%d")),
    Kind("date with month's name", ORDERS, ("orderDate",), date("%Y-%m-%d", "%-d %B %Y")),
    Kind("date with month's short name", ORDERS, ("orderDate",), date("%Y-%m-%d", "%d-%b-%y")),
    Kind("date of the press", ORDERS, ("orderDate",), date("%Y-%m-%d", "%b %-d, %Y")),
    Kind("compact to ISO", PLAYERS, ("birth_date",), date("%Y%m%d", "%Y-%m-%d")),
    Kind("compact to US", PLAYERS, ("birth_date",), date("%Y%m%d", "%m/%d/%Y")),
    Kind("compact to European", PLAYERS, ("birth_date",), date("%Y%m%d", "%d/%m/%Y")),
    Kind("timestamp to day", WEATHER, ("date",), date("%Y/%m/%d", "%Y-%m-%d 10:30:00")),
    Kind("days to US", DAYS, ("FullDateAlternateKey",), date("%Y-%m-%d", "%-m/%-d/%Y")),
    Kind("days to long", DAYS, ("DateKey",), date("%Y%m%d", "%A, %d %B %Y")),
    Kind("minute to ISO", "examples/seattle-temps.csv", ("date",), date("%Y/%m/%d %H:%M", "%Y-%m-%dT%H:%M:00Z")),
    # numbers and currencies
    Kind("dollars", PAID, ("amount",), lambda t: f"${float(t):,.2f}"),
    Kind("euros", PAID, ("amount",), lambda t: f"{float(t):,.2f} €".translate(str.maketrans(",.", ".,"))),
    Kind("population", "world/city.csv", ("population",), lambda t: f"{int(t):,}"),
    Kind("population with blanks", COUNTRY, ("population",), lambda t: f"{int(t):,}".replace(",", " ")),
    Kind("area with a unit", COUNTRY, ("surfacearea",), lambda t: f"{int(float(t)):,} km²"),
    # phones
    Kind("phone's digits", STAFF, ("PHONE_NUMBER",), digits),
    Kind("phone to international", BUYER, ("Phone",), lambda t: f"+1 {t.replace('-', ' ')}" if len(t) == 12 else None),
    Kind("phone in parentheses", RESELLER, ("Phone",),
         lambda t: f"({t[:3]}) {t[4:]}" if re.fullmatch(r"\d{3}-\d{3}-\d{4}", t) else None),
    Kind("phone bare", NORTH, ("Phone",), digits),
    # addresses and places
    Kind("address in capitals", RESELLER, ("AddressLine1",), lambda t: t.upper().replace(" ", "_")),
    Kind("address and city", BUYER, ("AddressLine1", "City"), lambda a, c: f"{a}, {c}"),
    Kind("street behind", NORTH, ("Address",), lambda t: f"{t}, 2nd floor"),
    Kind("city and state", "awdw/DimGeography.csv", ("City", "StateProvinceCode"), lambda c, s: f"{c}, {s}"),
    Kind("two columns of a place", AIRPORT, ("iata", "name"), lambda i, n: (n, f"[{i}]")),
    Kind("station", STATION, ("name",), lambda t: f"{t} (station)"),
]  # fmt: skip


def table_of(roots: Sequence[Path], name: str) -> pd.DataFrame | None:
    path = next((root / name for root in roots if (root / name).is_file()), None)
    return None if path is None else pd.read_csv(path, dtype=str, keep_default_na=False)


def asked(kind: Kind, table: pd.DataFrame, seed: int = 7) -> tuple[pd.DataFrame, list[str | None]]:
    """The analyst's frame, and the text of the columns' values that each row was made from; None: of none."""
    draw = random.Random(seed)
    rows = [tuple(row) for row in table[list(kind.columns)].drop_duplicates().to_numpy() if all(row)]
    draw.shuffle(rows)
    made = [(kind.make(*map(str.strip, row)), row) for row in rows]
    times = Counter(cells for cells, _ in made)  # what two values give has no right partner
    one_to_one = [(cells, said(row)) for cells, row in made if cells and times[cells] == 1]
    found: dict[Cells, str | None] = dict(one_to_one[:ROWS])
    for cells in draw.sample(list(found), int(ALONE * len(found))):
        del found[cells]
        other: Cells = cells
        while other in times or other in found:  # what a value gives has a partner; of dense numbers few are free
            other = changed(other, draw, longer=other != cells)
        found[other] = None
    both = list(found.items())
    draw.shuffle(both)
    values = [(cells,) if isinstance(cells, str) else cells for cells, _ in both]
    frame = pd.DataFrame(values, columns=["value", "value 2"][: len(values[0] or ())])
    frame["noise"] = [f"{draw.choice(['open', 'shipped', 'on hold'])} {draw.randrange(90)}" for _ in both]
    return frame, [truth for _, truth in both]


def changed(cells: Cells, draw: random.Random, longer: bool) -> Cells:
    """All cells altered, the last digit twice where that did not do before."""
    one = (cells,) if isinstance(cells, str) else cells or ()
    made = tuple(altered(re.sub(r"(\d)(?!.*\d)", r"\1\1", cell) if longer else cell, draw) for cell in one)
    return made[0] if isinstance(cells, str) else made


def altered(text: str, draw: random.Random) -> str:
    """Other letters, and other digits of the same number."""
    letters = "".join(draw.choice(string.ascii_lowercase) if c.isalpha() else c for c in text)
    return re.sub(r"\d", lambda _: draw.choice("123456789"), letters)


def said(row: Sequence[str]) -> str:
    return "\0".join(text.strip().casefold() for text in row)


def score(right: int, found: int, wanted: int) -> tuple[float, float, float]:
    precision, recall = right / found if found else 0.0, right / wanted if wanted else 0.0
    return precision, recall, 2 * right / (found + wanted) if found + wanted else 0.0


def joined(kind: Kind, table: pd.DataFrame) -> tuple[tuple[float, float, float], str]:
    """Precision, recall and F1 of the row pairs of auto_join's first plan, and its program."""
    frame, truth = asked(kind, table)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(table[list(kind.columns)].to_numpy()):
        places.setdefault(said(row), []).append(place)
    wanted = {(i, place) for i, text in enumerate(truth) if text is not None for place in places[text]}
    plans = lv.auto_join(frame, table)
    if not plans:
        return (0.0, 0.0, 0.0), "no plan"
    found: Pairs = {(int(a), int(b)) for a, b in plans[0].pairs.to_numpy()}
    doubt = " DOUBTFUL" if plans[0].doubtful else ""
    return score(len(found & wanted), len(found), len(wanted)), plans[0].program.replace("\n", " | ") + doubt


def searched(kind: Kind, table: pd.DataFrame, lake: lv.Lake) -> tuple[tuple[float, float, float], float, str]:
    """Precision, recall and F1 by rows of the first hit, CPU seconds, and what was found."""
    frame, truth = asked(kind, table)
    frame = frame[["value", "noise"]]
    before = time.process_time()
    hits = lake.search(frame, "value", transform=True)
    seconds = time.process_time() - before
    wanted = sum(text is not None for text in truth)
    if not hits:
        return (0.0, 0.0, 0.0), seconds, "nothing"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.JoinWarning)  # of rows without partner
        both = hits[0].join("inner", frame.assign(row=range(len(frame)))).to_pandas()
    right, found = set(), set()
    texts = both.drop(columns=["value", "noise", "row"]).astype(str)
    for row, cells in zip(both["row"], texts.to_numpy(), strict=True):
        found.add(row)
        held = {re.sub(r"(?<=\d)\.0$|[ T]00:00:00(\.0+)?$", "", cell.strip().casefold()) for cell in cells}
        held |= {re.sub(r"(?<=:\d\d):00$", "", cell) for cell in held}  # minutes, with seconds or none
        if truth[row] is not None and (truth[row] or "").split("\0")[0] in held:
            right.add(row)
    what = f"{hits[0].name}: {hits[0].plan.program}".replace("\n", " | ")
    return score(len(right), len(found), wanted), seconds, what


def codes(kind: Kind, table: pd.DataFrame, spark: Any) -> list[str]:
    """The dialects whose code gives other pairs than the plan, or none, and why."""
    source, _ = asked(kind, table)
    source["source_row"], target = [f"s{i}" for i in range(len(source))], table.copy()
    target["target_row"] = [f"t{i}" for i in range(len(target))]
    plans = lv.auto_join(source.drop(columns="source_row"), table, how="inner")
    if not plans:
        return ["no plan"]
    plan = plans[0].again("inner", Side.frame(source, "source"), Side.frame(target, "target"))
    wanted = Counter((f"s{a}", f"t{b}") for a, b in plans[0].pairs.to_numpy().tolist())
    scope: dict[str, Any] = {"source": source, "target": target}
    exec(plan.code("pandas"), scope)
    results = {"pandas": scope["source_target"]}
    for name, frame in (("source", source), ("target", target)):
        scope[name] = spark.createDataFrame(frame)
        scope[name].createOrReplaceTempView(name)
    wrong = []
    for dialect in ("pyspark", "sql"):
        try:
            if dialect == "sql":
                results[dialect] = [spark.sql(statement) for statement in plan.statements()][-1].toPandas()
            else:
                exec(plan.code("pyspark"), bound := scope | {"spark": spark})
                results[dialect] = bound["source_target"].toPandas()
        except lv.InputError as error:
            wrong.append(f"{dialect} refused: {error}")
    for dialect, result in results.items():
        if Counter(zip(result["source_row"], result["target_row"], strict=True)) != wanted:
            wrong.append(f"{dialect}: {len(result)} pairs, not the {wanted.total()} of {plan.program!r}")
    return wrong


def lake_of(folders: Sequence[Path], store: Path) -> lv.Lake:
    """The lake of all the folders; a first search, which is not measured among the others, loads what it needs."""
    lake = lv.open([str(folder) for folder in folders], store=store)
    if not (store / "manifest.json").exists() and not any(store.glob("*")):
        lake.index(engine="local")
    before = time.process_time()
    lake.search(pd.DataFrame({"value": ["Ada Marlowe", "Ben Winters", "Cyd Castell"]}), "value", transform=True)
    print(f"first search: {time.process_time() - before:.1f} CPU s")
    return lake


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of the schemas, the demo lake")
    parser.add_argument("--kinds", nargs="*", default=[""], help="only kinds whose names hold one of these")
    parser.add_argument("--codes", action="store_true", help="execute the plans' code in the three dialects")
    parser.add_argument("--search", type=Path, metavar="STORE", help="search a lake of all folders, indexed there")
    parser.add_argument("--lake", nargs="*", default=[], type=Path, help="further folders of that lake")
    options = parser.parse_args()
    lake = lake_of([*options.folders, *options.lake], options.search) if options.search else None
    figures, times = [], []
    spark, differ = session.get() if options.codes else None, 0
    for kind in KINDS:
        if not any(word in kind.name for word in options.kinds):
            continue
        table = table_of(options.folders, kind.table)
        if table is None:
            print(f"{kind.name}: no {kind.table}")
            continue
        if options.codes:
            wrong = codes(kind, table, spark)
            differ += bool(wrong)
            print(f"{kind.name:34} {'; '.join(wrong) or 'the three codes give its pairs'}", flush=True)
            continue
        if lake is None:
            before = time.process_time()
            figure, what = joined(kind, table)
            seconds = time.process_time() - before
        elif isinstance(kind.make(*table[list(kind.columns)].iloc[0]), tuple):
            continue  # a search is for one column
        else:
            figure, seconds, what = searched(kind, table, lake)
        figures.append(figure)
        times.append(seconds)
        shown = "P {:.3f} R {:.3f} F1 {:.3f}".format(*figure)
        print(f"{kind.name:34} {shown} {seconds:5.2f} CPU s  {what[:110]}", flush=True)
    if options.codes:
        print(f"{differ} kinds differ")
        spark.stop()
        return
    whole, bad = sum(f1 >= 0.97 for *_, f1 in figures), sum(0 < precision < 0.95 for precision, *_ in figures)
    shown = "P {:.3f} R {:.3f} F1 {:.3f}".format(*map(fmean, zip(*figures, strict=True)))
    print(f"{len(figures)} kinds: {shown}; {whole} of F1 .97 or more, {bad} with P below .95")
    print(f"CPU s: median {median(times):.2f}, worst {max(times):.2f}")


if __name__ == "__main__":
    main()
