"""`lakeview demo | lab | index | search`: lakeview in a terminal.

Exit codes: 0 done, 1 an error (one line on stderr), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lakeview.errors import LakeviewError, StoreError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; `arguments` default to those of the process. Returns the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    try:
        return args.run(args) or 0
    except LakeviewError as error:
        print(f"lakeview: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"lakeview: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lakeview: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lakeview", description="Find the tables of a data lake that join with yours, and join them."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="demo | lab | index | search")

    demo = commands.add_parser("demo", help="write and index a lake of public tables, and open the tutorial")
    demo.add_argument("folder", nargs="?", default="demo-lake", type=Path, help="where to (default: demo-lake)")
    demo.add_argument("--check", action="store_true", help="run the tutorial without a screen and print the best joins")
    demo.add_argument("--no-open", action="store_true", help="stop after indexing")
    demo.set_defaults(run=_demo)

    lab = commands.add_parser("lab", help="open JupyterLab")
    lab.add_argument("folder", nargs="?", default=".", type=Path, help="its folder (default: this one)")
    lab.set_defaults(run=_lab)

    index = commands.add_parser("index", help="index the tables in a folder, or what changed since the last time")
    index.add_argument("path", nargs="+", help="folders or files")
    index.add_argument("--store", help="where the index goes (default: .lakeview in the folder)")
    index.set_defaults(run=_index)

    search = commands.add_parser("search", help="list the columns that join with a column of the lake")
    search.add_argument("path", nargs="+", help="folders or files, as they were indexed")
    search.add_argument("column", metavar="TABLE.COLUMN", help="the column to search with")
    search.add_argument("--store", help="where the index is (default: .lakeview in the folder)")
    search.add_argument("-k", type=int, default=10, help="how many hits (default: 10)")
    search.add_argument("--threshold", type=float, help="only columns with at least this containment, 0 to 1")
    search.add_argument("--rank", choices=["join", "overlap"], default="join", help="what ranks them (default: join)")
    search.set_defaults(run=_search)
    return parser


def _version() -> str:
    from lakeview import __version__

    return __version__


def _demo(args: argparse.Namespace) -> int:
    from lakeview import demo

    folder = demo.write_demo_lake(args.folder, say=print).resolve()
    os.environ["LAKEVIEW_DEMO_LAKE"] = str(folder)  # the tutorial's kernel finds the lake by it
    lake = _of_demo(folder)
    _print_report(lake.index())
    if args.no_open:
        return 0
    from lakeview.notebook import tutorial

    notebook = tutorial.find_notebook(demo.NOTEBOOK)
    if not args.check:
        return tutorial.open_lab(notebook.parent, notebook)
    print(f"running {notebook.name} …", flush=True)
    tutorial.run_notebook(notebook)
    for name, hits in demo.best_joins(lake):
        print(f"\n{name}")
        _print_hits(hits)
    return 0


def _of_demo(folder: Path) -> Any:
    """The demo lake. An index that this version cannot read, as another one left it, is made anew."""
    try:
        return _open([str(folder)])
    except StoreError:
        shutil.rmtree(folder / ".lakeview")
        return _open([str(folder)])


def _lab(args: argparse.Namespace) -> int:
    from lakeview.notebook import tutorial

    return tutorial.open_lab(args.folder)


def _index(args: argparse.Namespace) -> int:
    lake = _open(args.path, args.store)
    _print_report(lake.index())
    for _, problem in lake.problems.iterrows():
        print(_plain(f"  {problem['table']}: {problem['problem']}: {problem['detail']}"))
    return 0


def _search(args: argparse.Namespace) -> int:
    lake = _open(args.path, args.store)
    hits = lake.search(args.column, k=args.k, threshold=args.threshold, rank=args.rank)
    _print_hits(hits)
    return 0


def _open(paths: Sequence[str], store: str | None = None) -> Any:
    import lakeview

    return lakeview.open(paths[0] if len(paths) == 1 else list(paths), store=store)


def _print_report(report: Any) -> None:
    changes = {"added": report.added, "changed": report.changed, "removed": report.removed, "unchanged": report.skipped}
    said = ", ".join(f"{number:,} {what}" for what, number in changes.items() if number) or "nothing to do"
    print(
        f"index: {report.tables:,} tables, {report.columns:,} columns, {report.rows:,} rows ({said}); "
        f"problems: {report.problems:,}; {report.seconds:.1f} s",
        flush=True,
    )


def _print_hits(hits: Any) -> None:
    if not len(hits):
        print("  nothing joins with it; the closest:" if hits.closest else "  nothing joins with it")
    for number, hit in enumerate(hits or hits.closest, start=1):
        name = f"{hit.table}.{hit.column}"
        share = f"{hit.overlap:,} of {hits.query.distinct:,} values"
        print(_plain(f"  {number:2d}  {name:<44} {hit.containment:4.2f}  {share:<26} {hit.reason}"))


def _plain(text: str) -> str:
    """One line for a terminal: control characters, which names and values may hold, as their escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
