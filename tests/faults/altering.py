"""Published indexes that somebody altered and gave right checksums: every array, every column of the tables and every
field of the JSON, one alteration at a time. Run in a process of its own."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lakes
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import lakeview as lv
from lakeview.catalog.blocks import checksums
from lakeview.errors import LakeviewError
from lakeview.index import josie_kernels  # noqa: F401  what crashes is compiled
from lakeview.store import published, segment_writer
from lakeview.store.sealed import seal, unseal
from lakeview.store.segment import DTYPES
from lakeview.store.snapshot import Snapshot
from lakeview.store.store import Store
from lakeview.values import hash_strings

Alteration = tuple[str, Callable[[Path], None]]  # what it is, and how it is done to a published index


def alterations(url: Path, own: str) -> Iterator[Alteration]:
    """All of them, in an order that never changes. own: the name of a segment that the puller has."""
    segments = sorted((url / "segments").iterdir())
    for name in sorted(DTYPES):
        for kind in _ARRAYS:
            yield f"{name}: {kind}", _in_file(segments, f"{name}.npy", lambda raw, kind=kind: altered_array(raw, kind))
    for table, schema in (("tables", segment_writer.TABLES), ("columns", segment_writer.COLUMNS)):
        for field in schema:
            for kind in ("null", "missing", "another type", "least", "most", "reversed", "renamed"):
                alter = _in_table(segments, f"{table}.parquet", field.name, kind)
                yield f"{table}.{field.name}: {kind}", alter
        for kind in ("empty", "twice", "more columns", "zstd", "gzip", "metadata", "bomb", "no parquet", "rows"):
            yield f"{table}: {kind}", _in_table(segments, f"{table}.parquet", "", kind)
    for field in ("spec", "problems"):
        for value in (
            *_VALUES,
            "{",
            "[" * 100_000,
            "[" + "[]," * 100 + "[]]",
            '{"name": "a.csv", "kind": 3, "files": 7}',
        ):
            yield f"{field} = {str(value)[:30]!r}", _in_table(segments, "tables.parquet", field, value)
    for field in ("format", "parameters", "generation", "indexed_at", "problems", "segments", "checksum"):
        for value in (*_VALUES, None):
            yield (
                f"manifest.{field} = {str(value)[:30]!r}",
                _in_manifest(lambda said, f=field, v=value: _put(said, f, v)),
            )
    for field in ("id", "files", "dead"):
        for value in (*_VALUES, [0], [10**6], [[0]], "../x", {"../x": [1, ["0" * 16]]}):
            yield (
                f"segment.{field} = {str(value)[:30]!r}",
                _in_manifest(lambda said, f=field, v=value: _put(said["segments"][0], f, v)),
            )
    for value in (*_VALUES, [1], [1, 2], [-1, ["0" * 16]], [2**62, ["0" * 16]], [10, []]):
        yield (
            f"file = {str(value)[:30]!r}",
            _in_manifest(lambda said, v=value: _put(said["segments"][0]["files"], "costs.npy", v)),
        )
    for kind in ("nested", "huge", "twice", "empty"):
        yield f"manifest: {kind}", lambda url, kind=kind: whole_manifest(url, kind)
    yield "own id", _in_manifest(lambda said: _put(said["segments"][0], "id", own))


_VALUES = (0, -1, 1.5, 10**30, float("nan"), True, "", "x", [], [1], {}, {"a": 1}, [["t", "p", "d", "x"]])
_ARRAYS = (
    "empty", "shorter", "longer", "another type", "float", "objects", "two dimensions", "Fortran", "version 2", "zip",
    "zeros", "most", "first is most", "last is most", "first is negative", "middle is most", "middle is negative",
    "reversed", "two swapped", "repeated", "NaN", "infinite", "one more", "one less", "shuffled",
)  # fmt: skip


def altered_array(raw: bytes, kind: str) -> bytes:
    """A .npy file, altered; random where places are chosen, but the same every time."""
    array = np.load(io.BytesIO(raw)).copy()
    rng, n = np.random.default_rng(len(raw)), len(array)
    most = np.inf if array.dtype.kind == "f" else np.iinfo(array.dtype).max
    least = -1 if array.dtype.kind in "if" else most - 3
    middle = n // 2
    if kind == "version 2":
        return raw[:6] + b"\x02" + raw[7:]
    if kind == "zip":
        file = io.BytesIO()
        np.savez(file, array)
        return file.getvalue()
    if kind == "objects":
        array = np.array([{"a": 1}] * max(n, 1), object)
    elif kind in ("another type", "float"):
        array = array.astype(np.float32 if kind == "float" or array.dtype.kind == "f" else np.int16)
    elif kind in ("empty", "shorter", "longer"):
        array = array[:0] if kind == "empty" else array[:-1] if kind == "shorter" else np.append(array, array[-1:])
    elif kind in ("two dimensions", "Fortran"):
        array = array.reshape(1, -1) if kind == "two dimensions" else np.asfortranarray(array.reshape(-1, 1))
    elif kind in ("zeros", "most"):
        array[:] = 0 if kind == "zeros" else most
    elif kind == "reversed":
        array = array[::-1].copy()
    elif kind == "shuffled":
        rng.shuffle(array)
    elif n:
        place = {"first": 0, "last": n - 1, "middle": middle}.get(kind.split()[0], int(rng.integers(n)))
        other = int(rng.integers(n))
        if kind in ("two swapped", "repeated"):
            array[[place, other]] = array[[other, place]] if kind == "two swapped" else array[place]
        elif kind in ("NaN", "infinite"):
            array[place] = (np.nan if kind == "NaN" else np.inf) if array.dtype.kind == "f" else most
        elif kind in ("one more", "one less"):
            array[place] += array.dtype.type(1) if kind == "one more" else -1 if array.dtype.kind != "u" else most
        else:
            array[place] = most if kind.endswith("most") else least
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0))
    return file.getvalue()


def altered_table(raw: bytes, column: str, kind: Any) -> bytes:
    """A Parquet file with one column, or as a whole, altered."""
    table = pq.ParquetFile(io.BytesIO(raw)).read()
    options: dict[str, Any] = {"store_schema": False}
    if column:
        at, values = table.schema.get_field_index(column), table[column].to_pylist()
        field, text = table.schema.field(column), pa.types.is_string(table.schema.field(column).type)
        if kind == "missing":
            table = table.remove_column(at)
        elif kind == "renamed":
            table = table.rename_columns(["x" if name == column else name for name in table.column_names])
        elif kind == "another type":
            table = table.set_column(at, column, pa.array([7] * len(values) if text else ["x"] * len(values)))
        elif kind == "reversed":
            table = table.set_column(at, field, pa.array(values[::-1], field.type))
        elif kind in ("null", "least", "most"):
            low, high = ("", "\x00\u2028" * 99) if text else (-1, 2**31 - 1)
            if pa.types.is_floating(field.type):
                low, high = float("nan"), float("inf")
            values[len(values) // 2] = {"null": None, "least": low, "most": high}[kind]
            table = table.set_column(at, field, pa.array(values, field.type))
        else:
            values[0] = kind if isinstance(kind, str) else json.dumps(kind)
            table = table.set_column(at, field, pa.array(values, field.type))
    elif kind in ("empty", "twice", "rows"):
        table = (
            table.slice(0, 0)
            if kind == "empty"
            else table.slice(1)
            if kind == "rows"
            else pa.concat_tables([table] * 2)
        )
    elif kind == "more columns":
        table = table.append_column("more", pa.array([1] * len(table)))
    elif kind in ("zstd", "gzip"):
        options["compression"] = kind
    elif kind == "metadata":
        options["store_schema"] = True
    elif kind == "bomb":  # a text of 100 KB, a thousand times, in some KB
        long = pa.array(["x" * 100_000] * len(table))
        table = table.set_column(table.schema.get_field_index("name"), "name", long)
        table = pa.concat_tables([table] * 1000).combine_chunks()
    else:
        return b"PAR1" + bytes(100) + b"PAR1"
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def whole_manifest(url: Path, kind: str) -> None:
    path = url / "manifest.json"
    raw = path.read_bytes()
    said = unseal(raw)
    said.pop("checksum")
    if kind == "nested":
        deep: Any = []
        for _ in range(900):
            deep = [deep]
        raw = seal({**said, "problems": deep})
    elif kind == "twice":
        raw = seal({**said, "segments": said["segments"] * 2})
    path.write_bytes(raw + b" " * (65 << 20) if kind == "huge" else b"" if kind == "empty" else raw)


def _put(said: dict[str, Any], field: str, value: Any) -> None:
    said[field] = value


def _in_file(segments: list[Path], name: str, alter: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Alter the file in the first segment that has something in it, and say so in the manifest."""

    def to(url: Path) -> None:
        held = [url / "segments" / folder.name / name for folder in segments]
        path = max((path for path in held if path.exists()), key=lambda path: path.stat().st_size)
        path.write_bytes(alter(path.read_bytes()))
        manifest = url / "manifest.json"
        said = unseal(manifest.read_bytes())
        entry = next(entry for entry in said["segments"] if entry["id"] == path.parent.name)
        entry["files"][name] = [path.stat().st_size, checksums(path)]
        said.pop("checksum")
        manifest.write_bytes(seal(said))

    return to


def _in_table(segments: list[Path], name: str, column: str, kind: Any) -> Callable[[Path], None]:
    return _in_file(segments, name, lambda raw: altered_table(raw, column, kind))


def _in_manifest(alter: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def to(url: Path) -> None:
        path = url / "manifest.json"
        said = unseal(path.read_bytes())
        said.pop("checksum")
        alter(said)
        path.write_bytes(seal(said))

    return to


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a store, by its place."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


def run(data: str, url: str, own: str, numbers: list[int]) -> Counter[str]:
    """Try alterations by their numbers. url: a published index; own: the puller's store, of which copies pull."""
    whole, mine = Path(url), Path(own)
    place, store = whole.with_name(whole.name + ".altered"), mine.with_name(mine.name + ".now")
    before, as_published = contents(mine), asked(whole)
    known = lakes.answers(_pulled(data, whole, mine, store))
    told: Counter[str] = Counter()
    every = list(alterations(whole, Store(mine).manifest().segments[0].id))
    for number in numbers:
        what, alter = every[number % len(every)]
        print(f"{number}: {what}", file=sys.stderr, flush=True)
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(whole, place)
        alter(place)
        try:
            lake = _pulled(data, place, mine, store)
        except LakeviewError as error:
            pulled = (
                "refused" if contents(store) == before and "\n" not in str(error) else f"its own changed: {error!r}"
            )
        except BaseException as error:
            pulled = f"foreign: {type(error).__name__}: {error}"
        else:
            pulled = lakes.outcome(known, lambda lake=lake: lakes.answers(lake))
        read = lakes.outcome(as_published, lambda: asked(place))
        told["pulled: " + _kind(pulled, what)] += 1
        told["read: " + _kind(read, what)] += 1
    return told


def _kind(outcome: str, what: str) -> str:
    """The outcome, where it is a good one. Another sound index is good: what it says of a lake, nobody can prove."""
    if outcome in ("same", "told", "refused"):
        return outcome
    sound = outcome.startswith("wrong") and "foreign" not in outcome and "more than a line" not in outcome
    return "another index" if sound else f"{what}: {outcome}"


def _pulled(data: str, url: Path, own: Path, store: Path) -> lv.Lake:
    """The lake with an index of its own, after pulling."""
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(own, store)
    lake = lv.open(data, store=store)
    lake.pull(str(url))
    return lake


def asked(url: Path) -> dict[str, Any]:
    """What a published index says where it lies, asked as Spark's tasks ask."""
    manifest = published.manifest(str(url), "fold")
    snapshot = Snapshot(manifest, published.segments(str(url), manifest.segments))
    query = np.sort(hash_strings(pa.array([f"k{n}" for n in range(2_000)])))
    return {
        "top": [part.tolist() for part in snapshot.top_k(query, 5)[:2]],
        "probe": [part.tolist() for part in snapshot.top_k(query, 3, plan="probe")[:2]],
        "probed": [part.tolist() for part in snapshot.top_k(query, 3, plan="probe")[:2]],
        "overlaps": [part.tolist() for part in snapshot.overlaps(query)],
        "weighted": snapshot.weighted(query, np.ones(len(query))).tolist(),
        "tokens": [int(snapshot.tokens_of(n)[0].sum()) for n in range(len(snapshot))],
        "filters": [
            f is not None and int(f.contains(query).sum()) for f in map(snapshot.filter_of, range(len(snapshot)))
        ],
        "sketches": [
            segment.candidates(signature, 5_000.0, least)[0].tolist()
            for _, segment in snapshot.searchable()
            for signature in segment.minima[:2]
            for least in (0.0, 0.5)
        ],
        "registers": [int(registers.sum()) for _, _, registers in snapshot.sketches()],
        "tables": [sorted(snapshot.by_table), snapshot.problems],
    }


if __name__ == "__main__":
    for job in json.loads(sys.argv[1]):
        print(json.dumps(run(**job)), flush=True)
