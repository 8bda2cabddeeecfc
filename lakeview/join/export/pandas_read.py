"""How pandas reads a table of the lake as lakeview does: the plainest call whose frame is equal, found by trying."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lakeview.catalog.kinds import COMPRESSIONS, is_compressed, kind_of
from lakeview.catalog.model import LOGGED, Table
from lakeview.catalog.reading.archives import unpacked
from lakeview.catalog.reading.text_format import TextFormat
from lakeview.errors import InputError
from lakeview.join.as_one import is_stacked, label_of
from lakeview.join.export.pandas_formats import candidates, logged
from lakeview.join.naming import literal
from lakeview.join.numeric import NUMBER
from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd

Lines = list[str]

_OPENERS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstandard"}
_NO_MARKS = 'keep_default_na=False, na_values=[""]'


def read_lines(side: Side, keys: tuple[Hashable, ...], variable: str) -> Lines:
    """The lines that put the table into `variable`. Raises InputError where no call gives an equal frame."""
    wanted = side.to_pandas(keys)
    tried = 0
    for lines in _candidates(side, keys, variable):
        tried += 1
        if _same(_run(lines, variable), wanted):
            return lines
    raise InputError(f"pandas reads {side.name} differently from the lake ({tried} ways tried): "
                     "use to_pandas(), whose rows are right")  # fmt: skip


def _candidates(side: Side, keys: tuple[Hashable, ...], variable: str) -> Iterator[Lines]:
    if side.table.kind == "parquet":
        return _parquet(side, keys, variable)
    if side.table.kind == "json" or (side.table.kind == "zip" and kind_of(side.table.files[0].inner) == "json"):
        return _json(side, keys, variable)
    if side.table.kind in LOGGED:
        return logged(side, variable, path_of(str(Path(side.table.log_path).parent.parent)))
    if side.table.kind not in ("text", "zip"):
        path = path_of(side.table.files[0].path)
        return candidates(side, keys, variable, path, _types(side, keys, list(side.lake_table.numbers(keys))))
    return _text(side, keys, variable)


def path_of(path: str) -> str:
    """A path as code shows it: relative where it lies below the working folder."""
    relative = os.path.relpath(path)
    return (str(Path(path).resolve()) if relative.startswith("..") else relative).replace(os.sep, "/")


def folder_of(table: Table) -> str:
    """The folder of a table of several files, above its partition folders."""
    return os.path.commonpath([Path(file.path).parents[len(file.keys)] for file in table.files])


def _run(lines: Lines, variable: str) -> pd.DataFrame | None:
    import warnings

    scope: dict = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Made above of fixed pieces and literals of paths and names: what is exported is what is tried.
            exec("import pandas as pd\n" + "\n".join(lines), scope)
    except Exception:  # a call that fails is not the one
        return None
    return scope[variable]


def _same(found: pd.DataFrame | None, wanted: pd.DataFrame) -> bool:
    if found is None or len(found) != len(wanted) or list(found.columns) != list(wanted.columns):
        return False
    return found.index.equals(wanted.index) and all(_same_values(found[column], wanted[column]) for column in wanted)


def _same_values(found: pd.Series, wanted: pd.Series) -> bool:
    gaps = found.isna()
    if not gaps.equals(wanted.isna()):
        return False
    if gaps.all():
        return True
    if found.dtype != object or wanted.dtype != object:
        return bool(found.equals(wanted))
    pairs = zip(found[~gaps], wanted[~gaps], strict=True)
    return all(a is b or (type(a) is type(b) and _same_value(a, b)) for a, b in pairs)


def _same_value(a: Any, b: Any) -> bool:
    """Whether two values are one, what is in lists and dicts compared by itself; NaN is NaN."""
    if isinstance(a, np.ndarray):
        if a.dtype != object:
            return a.dtype == b.dtype and a.tobytes() == b.tobytes()
        a, b = a.tolist(), b.tolist()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(type(x) is type(y) and _same_value(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and _same_value(list(a.values()), list(b.values()))
    return bool(a == b or (a != a and b != b))


def _text(side: Side, keys: tuple[Hashable, ...], variable: str) -> Iterator[Lines]:
    from lakeview.catalog.sources import text_format

    table = side.table
    path, member = table.files[0].path, table.files[0].inner
    with unpacked(path, member) if member else nullcontext(path) as plain:
        form = text_format(plain)
    if form is None:
        raise InputError(f"{side.name} is empty")
    numbers = list(side.lake_table.numbers(keys))
    told = form.compression if member else COMPRESSIONS.get(Path(path).suffix.lower().removeprefix("."))
    for shape in _shapes(form, told):
        for dtype, after in _types(side, keys, numbers):
            options = ", ".join(option for option in (shape, dtype) if option)
            options = f", {options}" if options else ""
            if member:
                opened = _of_member(path, member, f"{variable} = pd.read_csv(file{options})")
                yield [*opened, *after(variable)]
            elif len(table.files) == 1:
                yield [f"{variable} = pd.read_csv({literal(path_of(path))}{options})", *after(variable)]
            else:
                yield [*_concat(table, f"pd.read_csv(path{options})", variable), *after(variable)]


def _of_member(path: str, member: str, line: str) -> Lines:
    """Lines that run one line with a member of a zip file as `file`."""
    packed = f"zipfile.ZipFile({literal(path_of(path))}) as packed"
    return ["import zipfile", f"with {packed}, packed.open({literal(member)}) as file:", f"    {line}"]


def _shapes(form: TextFormat, told: str | None) -> Iterator[str]:
    """Options for the file's layout. told: its compression, as the name has it."""
    options = []
    if form.compression != told:
        options.append(f"compression={literal(form.compression)}")
    if form.delimiter != ",":
        options.append(f"sep={literal(form.delimiter)}")
    if form.quote != '"':
        options.append(f"quotechar={literal(form.quote)}")
    if form.dialect.blanks:
        options.append("skipinitialspace=True")
    if form.dialect.backslash:
        options.append(f"escapechar={literal(chr(92))}")
    if len(form.dialect.comment) == 1 and not form.commented:
        options.append(f"comment={literal(form.dialect.comment)}")
    if form.encoding not in ("utf-8", "utf-8-sig"):
        options.append(f"encoding={literal(form.encoding)}")
    if form.skip_rows > form.header:
        options.append(f"skiprows={form.skip_rows - form.header}")
    names = f"names={literal(list(form.names))}"
    engine = []
    if form.total_rows:
        engine = [f"skipfooter={form.total_rows}", 'engine="python"']
        if form.long:
            engine.append(f"on_bad_lines=lambda row: row[:{len(form.names)}]")
    elif form.long:
        engine = [f"usecols=range({len(form.names)})"]
    if not form.header:
        yield ", ".join([*options, "header=None", names, *engine])
        return
    yield ", ".join([*options, *engine])
    yield ", ".join([*options, "header=0", names, *engine])
    yield ", ".join([*options, "header=0", names, "index_col=False", *engine])


def _types(side: Side, keys: tuple[Hashable, ...], numbers: list[str]) -> Iterator[tuple[str, Callable[[str], Lines]]]:
    """Options for the columns' types, with the lines that follow; the keys are read as text."""
    partitions = {name for file in side.table.files for name, _ in file.keys}
    own = ", ".join(f"{literal(key)}: str" for key in keys if key not in partitions)
    texts = [column for column in side.columns if column not in numbers and column not in partitions]
    as_they_are = _after([], str)
    yield "", as_they_are
    for precision in ("", ', float_precision="round_trip"') if numbers else ("",):
        if own and numbers:
            yield f"dtype={{{own}}}{precision}", as_they_are
        if numbers and len(texts) <= 8:
            listed = ", ".join(f"{literal(column)}: str" for column in texts)
            yield f"dtype={{{listed}}}, {_NO_MARKS}{precision}", as_they_are
    if not numbers:
        yield "dtype=str", as_they_are
    yield f"dtype=str, {_NO_MARKS}", _after(numbers, to_numeric)
    floats = [column for column in numbers if side.to_pandas(keys)[column].dtype == "float64"]
    if floats:  # to_numeric may miss a double's last digit
        whole = _after([column for column in numbers if column not in floats], to_numeric)
        exact = _after(floats, _to_float)
        yield f"dtype=str, {_NO_MARKS}", lambda variable: [*whole(variable), *exact(variable)]


def _to_float(column: str) -> str:
    return rf'{column}.where({column}.str.fullmatch(r"[ \t-\r]*{NUMBER}[ \t-\r]*", na=False)).astype(float)'


def to_numeric(column: str) -> str:
    return f'pd.to_numeric({column}, errors="coerce")'


def _after(columns: list[str], change: Callable[[str], str]) -> Callable[[str], Lines]:
    """The lines that change some columns of the frame in a variable."""

    def lines(variable: str) -> Lines:
        if len(columns) < 2:
            return [f"{variable}[{literal(column)}] = {change(f'{variable}[{literal(column)}]')}" for column in columns]
        return [f"for column in {literal(columns)}:", f"    {variable}[column] = {change(f'{variable}[column]')}"]

    return lines


def _concat(table: Table, call: str, variable: str) -> Lines:
    """The files of a folder one after the other, the values of partition folders as text columns."""
    if is_stacked(table):
        return stack(table, call, variable)
    folder = path_of(folder_of(table))
    first = table.files[0].path
    suffixes = "".join(Path(first).suffixes[-2 if is_compressed(first) else -1 :])
    keys = '.assign(**dict(part.split("=", 1) for part in path.parts if "=" in part))' if table.files[0].keys else ""
    return [
        "from pathlib import Path",
        f"paths = sorted(Path({literal(folder)}).rglob({literal('*' + suffixes)}))",
        f"{variable} = pd.concat([{call}{keys} for path in paths], ignore_index=True)",
    ]


def stack(table: Table, call: str, variable: str) -> Lines:
    """Tables one after the other, the name of each as a column. call: reads the file `path`."""
    if any(len(file.keys) > 1 for file in table.files):
        raise InputError(f"{table.name} has partitions: use to_pandas(), whose rows are right")
    label = literal({label_of(table): 0}).removesuffix(": 0}").removeprefix("{")
    return [
        "paths = {",
        *(f"    {literal(file.keys[-1][1])}: {literal(path_of(file.path))}," for file in table.files),
        "}",
        f"{variable} = pd.concat(",
        f"    [{call}.assign(**{{{label}: name}}) for name, path in paths.items()], ignore_index=True",
        ")",
    ]


def _json(side: Side, keys: tuple[Hashable, ...], variable: str) -> Iterator[Lines]:
    """Numbers are parsed as text, so that a key such as 1.10 stays itself."""
    table = side.table
    after = _after(list(side.lake_table.numbers(keys)), to_numeric)(variable)
    if len(table.files) > 1:
        return
    path = table.files[0].path
    module = _OPENERS.get(Path(path).suffix, "")
    opener, mode, head = (f"{module}.open", '"rt", ', [f"import {module}"]) if module else ("open", "", [])
    shown = literal(path_of(path))
    for encoding in ("utf-8", "utf-8-sig"):
        opened = [f'with {opener}({shown}, {mode}encoding="{encoding}") as file:']
        if member := table.files[0].inner:
            opened = _of_member(path, member, "")[:-1]
        whole = "json.load(file, parse_int=str, parse_float=str)"
        lines = "[json.loads(line, parse_int=str, parse_float=str) for line in file if line.strip()]"
        chosen = f"[{literal([str(c) for c in side.columns])}]"
        frames = [f"{make}({records}){{}}{columns}" for records in (lines, whole)
                  for make, columns in (("pd.DataFrame", ""), ("pd.json_normalize", chosen))]  # fmt: skip
        frames += [  # of one object: a map, records by their keys, columns by row
            f'pd.DataFrame({whole}.items(), columns=["key", "value"]){{}}',
            f'pd.DataFrame.from_dict({whole}, orient="index").rename_axis("key").reset_index(){{}}{chosen}',
            f"pd.DataFrame({whole}).reset_index(drop=True){{}}",
        ]
        for frame in frames:
            for empty in ("", '.replace("", None)', '.replace({True: "true", False: "false", "": None})'):
                yield [*head, "import json", *opened, f"    {variable} = {_filled(frame, empty)}", *after]


def _filled(frame: str, change: str) -> str:
    before, _, behind = frame.partition("{}")
    return before + change + behind


def _parquet(side: Side, keys: tuple[Hashable, ...], variable: str) -> Iterator[Lines]:
    """As pandas reads it; with structs taken apart; with columns of categories in the types of their values."""
    table = side.table
    if is_stacked(table):
        yield stack(table, "pd.read_parquet(path)", variable)
        return
    schema = pq.read_schema(table.files[0].path)
    levels = max(map(_levels, schema.types), default=0)
    names = [field.name for field in schema if pa.types.is_dictionary(field.type) and field.name in side.columns]
    kinds = {name: str(side.to_pandas(keys)[name].dtype) for name in names}
    plain = f".astype({literal(kinds)})" if kinds else ""
    flat = ".flatten()" * levels
    keys = tuple(dict.fromkeys(name for file in table.files for name, _ in file.keys))
    one = len(table.files) == 1 and not keys
    shown = literal(path_of(table.files[0].path if one else folder_of(table)))
    if keys:
        fields = ", ".join(f"({literal(name)}, pa.string())" for name in keys)
        head = ["import pyarrow as pa", "import pyarrow.dataset as ds"]
        partitioning = f'ds.partitioning(pa.schema([{fields}]), flavor="hive")'
        if not levels:
            yield [*head, f"{variable} = pd.read_parquet({shown}, partitioning={partitioning}){plain}"]
        yield [*head, f'{variable} = ds.dataset({shown}, format="parquet", partitioning={partitioning})'
               f".to_table(){flat}.to_pandas(ignore_metadata=True){plain}"]  # fmt: skip
        return
    if not levels:
        yield [f"{variable} = pd.read_parquet({shown}){plain}"]
    yield ["import pyarrow.parquet as pq",
           f"{variable} = pq.read_table({shown}){flat}.to_pandas(ignore_metadata=True){plain}"]  # fmt: skip


def _levels(kind: pa.DataType) -> int:
    """How deep structs lie in structs, which the lake has as columns of their own."""
    return 1 + max(map(_levels, (field.type for field in kind)), default=0) if pa.types.is_struct(kind) else 0
