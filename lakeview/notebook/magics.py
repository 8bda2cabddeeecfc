"""`%lakeview`: open a lake, index it, search it, look at it, in one line of a notebook."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lakeview.errors import InputError, NotFound
from lakeview.guards import frames
from lakeview.notebook import editors, namespace, state
from lakeview.notebook.output.compared import Compared
from lakeview.notebook.output.hit_rows import MOST_HITS

HELP = """\
%lakeview open PATH [--store PATH] [--exclude NAME ...]   a folder of tables, or the name of a dict of DataFrames
%lakeview index                                           take in new and changed tables
%lakeview search df.col [-k N] [--threshold T]            columns of the lake that join with df["col"]
        --overlap ranks by shared values alone (default: --join, by how well they join)
        --target y: by what their columns tell of df["y"] once joined
        df["a b"] for names with blanks; a lake column by name: table.column, or "table"["column"] where it has
        blanks; df[["a", "b"]] for several together; df alone for each of its columns
%lakeview compare df.col --with table.column              how two columns meet: what share of each is in the other
%lakeview auto_join df.col --with table.column            a learned step that joins them, in its editor
%lakeview fuzzy_join df.col --with table.column           text that is alike, at a threshold to choose
%lakeview bridge df.col [--to table.column] [-k N]        what it reaches through tables that map its values
%lakeview more df [-k N]                                  tables that could be stacked under it
%lakeview explore df                                      the same as search, with the mouse
%lakeview recipe [FILE.json]                              what was joined here, to be made again by lv.replay()
%lakeview status                                          the lake and its tables
%lakeview preview table [-n N]                            the first rows of a table of the lake
%%lakeview sql [NAME]                                     SQL on Spark over DataFrames and lake tables
A result can be kept: hits = %lakeview search df.col"""

# Command -> its options: flag -> (keyword, how its value is read; None for a switch, a constant for a choice)
OPTIONS: dict[str, dict[str, tuple[str, Any]]] = {
    "open": {"--store": ("store", str), "--exclude": ("exclude", str), "--exact": ("normalize", "exact")},
    "index": {},
    "search": {
        "-k": ("k", int),
        "--threshold": ("threshold", float),
        "--join": ("rank", "join"),
        "--overlap": ("rank", "overlap"),
        "--target": ("target", str),
    },
    "compare": {"--with": ("other", str)},
    "auto_join": {"--with": ("other", str)},
    "fuzzy_join": {"--with": ("other", str)},
    "bridge": {"--to": ("to", str), "-k": ("k", int)},
    "more": {"-k": ("k", int)},
    "explore": {},
    "recipe": {},
    "status": {},
    "preview": {"-n": ("rows", int)},
    "sql": {},
    "help": {},
}
_TOKEN = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\S)+""")


def register(ip: Any) -> None:
    """Make `%lakeview` and `%%lakeview` known to this shell."""

    from IPython.core.magic import no_var_expand

    @no_var_expand  # a column may be named "a$b" or "{a}"
    def lakeview(line: str, cell: str | None = None) -> Any:
        return run(line, ip.user_ns, cell)

    lakeview.__doc__ = HELP
    ip.register_magic_function(lakeview, magic_kind="line_cell", magic_name="lakeview")


def run(line: str, names: dict[str, Any], cell: str | None = None) -> Any:
    """Run one line; `names` are the kernel's variables. Returns what the command found, for display or assignment."""
    command, _, rest = line.strip().removesuffix(";").partition(" ")
    if not command or command in ("-h", "--help", "?"):
        command = "help"
    if command not in OPTIONS:
        near = difflib.get_close_matches(command, OPTIONS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(OPTIONS)}"
        raise InputError(f"%lakeview has no {command!r}. {hint}")
    if (cell is not None) != (command == "sql"):
        raise InputError("write %%lakeview sql above a cell of SQL; the other commands are one line: %lakeview ...")
    target, options = split_options(rest, command)
    if command == "sql":
        from lakeview.notebook.sql import run_sql

        return run_sql(cell or "", target, names)
    return _COMMANDS[command](target, options, names)


def split_options(text: str, command: str) -> tuple[str, dict[str, Any]]:
    """The words of a line without its options, spaced as they were; and the options: keyword -> value or values."""
    known = OPTIONS[command]
    found: dict[str, Any] = {}
    kept: list[str] = []
    tokens = list(_TOKEN.finditer(text))
    start = 0
    while tokens:
        token = tokens.pop(0)
        flag, equals, value = token.group().partition("=")
        if flag not in known:
            if re.match(r"--?[A-Za-z]", flag):
                raise InputError(f"%lakeview {command} has no option {flag}. {_options_hint(known)}")
            continue
        kept.append(text[start : token.start()])
        keyword, kind = known[flag]
        if not callable(kind):
            found[keyword], start = kind, token.end()
            continue
        if not equals:
            if not tokens:
                raise InputError(f"{flag} needs a value: {flag} {'N' if kind is int else 'VALUE'}")
            token = tokens.pop(0)
            value = token.group()
        start = token.end()
        _add(found, keyword, _read(flag, value, kind))
    kept.append(text[start:])
    return " ".join(part.strip() for part in kept if part.strip()), found


def _add(found: dict[str, Any], keyword: str, value: Any) -> None:
    if keyword == "exclude":
        value = (*found.get(keyword, ()), value)
    found[keyword] = value


def _read(flag: str, text: str, kind: Callable[[str], Any]) -> Any:
    try:
        return kind(namespace.unquote(text))
    except ValueError:
        raise InputError(f"{flag} takes {'a whole number' if kind is int else 'a number'}, not {text!r}") from None


def _options_hint(known: dict[str, Any]) -> str:
    return f"It has {', '.join(known)}" if known else "It has none"


def _open(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    from lakeview.lake.lake import open as open_lake

    if not target:
        raise InputError("which lake? %lakeview open PATH, a folder of tables")
    where: Any = namespace.unquote(target)
    if not _exists(where) and where != target and _exists(target[1:-1]):  # "C:\\new", with no escape meant
        where = target[1:-1]
    elif not _exists(where):  # a variable, as `name`, `$name` or `{name}`
        where = names.get(where.strip("${}"), where)
    if type(where) is str and where.startswith("~") and "\0" not in where:
        where = os.path.expanduser(where)  # noqa: PTH111  a home that is not there stays as it is
    lake = open_lake(where, **options)
    state.set_lake(lake)
    return lake


def _exists(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (ValueError, OSError, RuntimeError):  # a NUL, a name that is too long, no such home
        return False


def _index(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    if target:
        raise InputError(f"%lakeview index takes no {target!r}: it indexes the open lake (%lakeview open PATH)")
    return state.the_lake(names).index()


def _search(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    lake = state.the_lake(names)
    if not target:
        raise InputError('search for what? %lakeview search df.col, df["a col"], df or table.column')
    if namespace.frame_columns(names.get(target)) is not None:  # each of its columns
        return lake.search(names[target], **_targeted(options, names[target]))
    query = namespace.find_query(target, names)
    options = _targeted(options, query.data)
    options = {"rank": "join", "k": MOST_HITS, **options}
    try:
        if query.exact:
            return lake.search(lake.query_of(query.data, query.column), **options)
        if query.column is None:
            return lake.search(query.data, **options)
        return lake.search(query.data, query.column, **options)
    except NotFound as error:
        if isinstance(query.data, str):
            raise namespace.explain_missing(query, names, error) from None
        raise


def _targeted(options: dict[str, Any], frame: Any) -> dict[str, Any]:
    """The options with the label that a frame has for the target, where that is no text."""
    for label in namespace.frame_columns(frame) or () if "target" in options else ():
        with suppress(Exception):  # one that cannot be printed is not meant
            if str(label) == options["target"]:
                return {**options, "target": label}
    return options


def _compare(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    lake = state.the_lake(names)
    if not target or "other" not in options:
        raise InputError("compare which columns? %lakeview compare df.col --with table.column")
    sides = [namespace.find_query(text, names) for text in (target, options["other"])]
    if any(isinstance(side.column, list) for side in sides):
        raise InputError("compare two columns; several together are for %lakeview search")
    found = lake.compare(*(_values(lake, side) for side in sides))
    return Compared.of(found, (sides[0].name, sides[1].name), _joining(lake, sides))


def _joining(lake: Any, sides: list[namespace.Query]) -> Callable[[], Any] | None:
    """What plans the join of two columns; None where one is of no table, or a frame's rows lie in Spark."""
    from lakeview.join.plan import JoinPlan
    from lakeview.join.side import Side
    from lakeview.search.asking import side_of

    found = [each for side in sides if (each := editors.table_of(side, lake)) is not None]
    if len(found) < 2 or any(type(table).__module__.startswith("pyspark") for table, _ in found):
        return None

    def plan() -> Any:
        left, right = (table if isinstance(table, Side) else side_of(table) for table, _ in found)
        return JoinPlan(left, right, found[0][1], found[1][1], "left", lake.normalize)

    return plan


def _auto_join(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    return editors.auto_join(target, _other(options, "auto_join"), names)


def _fuzzy_join(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    return editors.fuzzy_join(target, _other(options, "fuzzy_join"), names)


def _other(options: dict[str, Any], command: str) -> str:
    if "other" not in options:
        raise InputError(f"join with which column of the lake? %lakeview {command} df.col --with table.column")
    return str(options["other"])


def _values(lake: Any, side: namespace.Query) -> Any:
    if side.exact:
        return lake.query_of(side.data, side.column)
    return side.data if side.column is None else frames.column(side.data, side.column)


def _bridge(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    lake = state.the_lake(names)
    if not target:
        raise InputError("a bridge from where? %lakeview bridge df.col --to table.column")
    query = namespace.find_query(target, names)
    if "to" in options:
        end = namespace.find_query(options["to"], names)
        options = {**options, "to": _values(lake, end)}
    if query.exact:
        return lake.bridge(lake.query_of(query.data, query.column), **options)
    return lake.bridge(query.data, query.column, **options)


def _more(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    return state.the_lake(names).more_rows(_frame(target, names, "more rows for"), **options)


def _explore(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    from lakeview.notebook.widgets.explore import explore

    return explore(_frame(target, names, "explore"))


def _frame(target: str, names: dict[str, Any], what: str) -> Any:
    """The DataFrame of a name; what: what is to be done with it."""
    frame = names.get(target)
    if namespace.frame_columns(frame) is None:
        there = ", ".join(namespace.frames(names)) or "none yet"
        raise InputError(f"{what} which DataFrame? There are: {there}")
    return frame


def _recipe(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    from lakeview.notebook.recipes import recipe

    return recipe(namespace.unquote(target) or "recipe.json")


def _status(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    return state.the_lake(names)


def _preview(target: str, options: dict[str, Any], names: dict[str, Any]) -> Any:
    from lakeview.notebook.panel import tables

    if not target:
        raise InputError("preview which table? %lakeview preview TABLE, by its name in the lake")
    return tables.preview(names, namespace.unquote(target), **options)


def _help(target: str, options: dict[str, Any], names: dict[str, Any]) -> None:
    print(HELP)  # noqa: T201  this is the answer to a question


_COMMANDS: dict[str, Callable[[str, dict[str, Any], dict[str, Any]], Any]] = {
    "open": _open,
    "index": _index,
    "search": _search,
    "compare": _compare,
    "auto_join": _auto_join,
    "fuzzy_join": _fuzzy_join,
    "bridge": _bridge,
    "more": _more,
    "explore": _explore,
    "recipe": _recipe,
    "status": _status,
    "preview": _preview,
    "help": _help,
}
