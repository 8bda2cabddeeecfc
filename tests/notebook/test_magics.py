"""`%lakeview` in a real shell: what it does, what it returns, and that errors are one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from standins import flights

from lakeview.errors import InputError, NotFound
from lakeview.lake import lake
from lakeview.notebook import magics, namespace, state
from lakeview.notebook.output.hit_rows import MOST_HITS


class Lake:
    """Records what it is asked."""

    __module__ = "lakeview.lake.lake"

    def __init__(self, where: Any = None, **options: Any) -> None:
        self.where, self.options, self.asked = where, options, []
        self.columns = pd.DataFrame({"table": ["airports.csv", "a b.csv"], "column": ["faa", "x y"]})

    def search(self, *arguments: Any, **options: Any) -> Any:
        self.asked.append((arguments, options))
        if isinstance(arguments[0], str) and not arguments[0].startswith("airports"):
            raise NotFound(f"no column {arguments[0]}")
        return flights()

    def bridge(self, *arguments: Any, **options: Any) -> str:
        self.asked.append((arguments, options))
        return "bridges"

    def more_rows(self, *arguments: Any, **options: Any) -> str:
        self.asked.append((arguments, options))
        return "more"

    def index(self, **options: Any) -> str:
        self.asked.append(options)
        return "report"


@pytest.fixture
def opened(shell: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], Lake]:
    """A shell with a lake open and frames among its variables."""
    monkeypatch.setattr(lake, "open", Lake)
    (tmp_path / "my data").mkdir()
    frame = pd.DataFrame({"dest": ["ORD"], "a b": ["x"], "with.dot": [1], 2020: [1], "it's": [1], "a$dest": [1]})
    shell.user_ns.update(df=frame, s=frame["dest"], two={"t": frame}, folder=str(tmp_path / "my data"))
    return lambda: shell.run_line_magic("lakeview", f'open "{tmp_path / "my data"}"')


def error_of(shell: Any, capsys: pytest.CaptureFixture[str], line: str) -> str:
    capsys.readouterr()
    result = shell.run_cell(line)
    assert not result.success
    printed = capsys.readouterr()
    return (printed.out + printed.err).strip()


def test_open_a_folder_with_a_blank_a_variable_or_a_dict(
    shell: Any, opened: Callable[[], Lake], tmp_path: Path
) -> None:
    assert opened().where == str(tmp_path / "my data")
    for line in ("open folder", "open $folder", "open {folder}", f"open {tmp_path / 'my data'}"):
        assert shell.run_line_magic("lakeview", line).where == str(tmp_path / "my data"), line
    assert shell.run_line_magic("lakeview", "open two").where is shell.user_ns["two"]
    assert shell.run_line_magic("lakeview", "open catalog:db").where == "catalog:db"
    lake = shell.run_line_magic("lakeview", 'open ~/x --exclude id --exclude "t.a b" --exact --store=s')
    assert lake.where == str(Path("~/x").expanduser())
    assert lake.options == {"exclude": ("id", "t.a b"), "normalize": "exact", "store": "s"}


@pytest.mark.parametrize(
    ("line", "column", "options"),
    [
        ("df.dest", "dest", {}),
        ("df.dest -k 5", "dest", {"k": 5}),
        ("-k 5 df.dest", "dest", {"k": 5}),
        ("df.dest -k=5 --overlap", "dest", {"k": 5, "rank": "overlap"}),
        ("df.dest --threshold 0.5 --join", "dest", {"threshold": 0.5}),
        ('df["a b"]', "a b", {}),
        ("df['a b'] -k 3", "a b", {"k": 3}),
        ("df.a b", "a b", {}),
        ("df.with.dot", "with.dot", {}),
        ("df.2020", 2020, {}),
        ("df[2020]", 2020, {}),
        ("df.it's", "it's", {}),
        ("df.a$dest", "a$dest", {}),
        ('df[["dest", "a b"]]', ["dest", "a b"], {}),
        ("df.dest;", "dest", {}),
    ],
)
def test_search_a_column_of_a_frame(
    shell: Any, opened: Callable[[], Lake], line: str, column: Any, options: dict[str, Any]
) -> None:
    lake = opened()
    hits = shell.run_line_magic("lakeview", f"search {line}")
    assert hits.query.name
    (frame, asked), given = lake.asked[-1]
    assert frame is shell.user_ns["df"] and asked == column
    assert given == {"rank": "join", "k": MOST_HITS, **options}


def test_search_a_series_and_a_lake_column(shell: Any, opened: Callable[[], Lake]) -> None:
    lake = opened()
    shell.run_line_magic("lakeview", "search s")
    assert lake.asked[-1][0][0] is shell.user_ns["s"]
    shell.run_line_magic("lakeview", "search airports.csv.faa")
    assert lake.asked[-1][0] == ("airports.csv.faa",)
    shell.run_line_magic("lakeview", "search df")  # each of its columns
    assert lake.asked[-1][0] == (shell.user_ns["df"],)


def test_the_result_can_be_assigned(shell: Any, opened: Callable[[], Lake]) -> None:
    opened()
    assert shell.run_cell("hits = %lakeview search df.dest -k 3").success
    assert shell.user_ns["hits"][0].column == "iata"


def test_index_and_status(shell: Any, opened: Callable[[], Lake]) -> None:
    lake = opened()
    assert shell.run_line_magic("lakeview", "index") == "report"
    assert lake.asked == [{}]
    assert shell.run_line_magic("lakeview", "status") is lake


def test_a_lake_among_the_variables_is_found(shell: Any) -> None:
    shell.user_ns["lake"] = Lake("x")
    assert shell.run_line_magic("lakeview", "status").where == "x"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%lakeview search df.dset", "Did you mean dest"),
        ('%lakeview search df["dset"]', "Did you mean dest"),
        ("%lakeview compare df --with airports.csv.faa", "which column of df? It has dest, a b, with.dot, 2020"),
        ("%lakeview search df[dest]", 'write df["column"]'),
        ("%lakeview search dff.dest", "Did you mean df?"),
        ("%lakeview search nowhere.x", "no column nowhere.x"),
        ("%lakeview search", "search for what?"),
        ("%lakeview search df.dest -k", "-k needs a value"),
        ("%lakeview search df.dest -k many", "-k takes a whole number, not 'many'"),
        ("%lakeview search df.dest --treshold .5", "no option --treshold. It has -k, --threshold"),
        ("%lakeview serach df.dest", "Did you mean search?"),
        ("%lakeview index now", "takes no 'now'"),
        ("%lakeview explore", "There are: df"),
        ("%lakeview open", "which lake?"),
        ("%lakeview sql SELECT 1", "%%lakeview sql"),
        ("%%lakeview search df.dest\nx", "%%lakeview sql"),
    ],
)
def test_errors_are_one_line_that_says_what_to_do(
    shell: Any, opened: Callable[[], Lake], capsys: pytest.CaptureFixture[str], line: str, says: str
) -> None:
    opened()
    printed = error_of(shell, capsys, line)
    assert says in printed
    assert "\n" not in printed and "Traceback" not in printed


def test_without_a_lake_it_says_how_to_open_one(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("%lakeview search df.dest", "%lakeview index", "%lakeview status"):
        printed = error_of(shell, capsys, line)
        assert "%lakeview open PATH" in printed and "\n" not in printed


def test_compare_says_what_it_needs(opened: Callable[[], Lake], shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    opened()
    for line in ("%lakeview compare df.dest", "%lakeview compare --with airports.csv.faa"):
        assert "%lakeview compare df.col --with table.column" in error_of(shell, capsys, line)


def test_help_names_every_command_and_option(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("help", "", "--help"):
        capsys.readouterr()
        assert shell.run_line_magic("lakeview", line) is None
        printed = capsys.readouterr().out
        for command, options in magics.OPTIONS.items():
            assert all(option in printed for option in options if option != "--exact")
            assert command in printed or command == "help"


def test_a_frame_wins_over_a_lake_table_unless_it_lacks_the_column(opened: Callable[[], Lake]) -> None:
    names = {"airports": pd.DataFrame({"faa": ["ORD"]})}
    assert namespace.find_query("airports.faa", names).column == "faa"
    assert namespace.find_query("airports.name", names).data == "airports.name"


def test_hostile_labels_are_named_in_one_line() -> None:
    names = {"df": pd.DataFrame({"<img src=x>": [1], "col\nname": [1]})}
    assert namespace.find_query("df.<img src=x>", names).column == "<img src=x>"
    assert namespace.find_query(r'df["col\nname"]', names).column == "col\nname"
    with pytest.raises(InputError) as error:
        namespace.find_query("df", names)
    assert "\n" not in str(error.value)


def test_private_variables_and_other_values_are_no_frames() -> None:
    frame = pd.DataFrame({"a": [1]})
    assert namespace.frames({"df": frame, "_": frame, "_3": frame, "x": 1, "s": frame.a, "cls": pd.DataFrame}) == {
        "df": frame
    }


def test_bridges_and_more_rows(shell: Any, opened: Callable[[], Lake], capsys: pytest.CaptureFixture[str]) -> None:
    asked = opened().asked
    frame = shell.user_ns["df"]
    assert shell.run_line_magic("lakeview", "bridge df.dest --to airports.csv.faa -k 3") == "bridges"
    assert asked[-1][0][0] is frame and asked[-1][0][1] == "dest"
    assert asked[-1][1] == {"to": "airports.csv.faa", "k": 3}
    shell.run_line_magic("lakeview", "bridge df.dest --to s")
    assert asked[-1][1]["to"] is shell.user_ns["s"]
    assert shell.run_line_magic("lakeview", "more df -k 2") == "more"
    assert asked[-1][0][0] is frame and asked[-1][1] == {"k": 2}
    assert "from where?" in error_of(shell, capsys, "%lakeview bridge")
    assert "more rows for which DataFrame? There are: df" in error_of(shell, capsys, "%lakeview more nothing")


def test_a_target_is_named_as_its_label_is_printed(shell: Any) -> None:
    """Numbers are labels too; one that cannot be printed is not meant."""

    class Mute:
        def __str__(self) -> str:
            raise RuntimeError("no words")

    seen: list[Any] = []
    lake = Lake()
    lake.search = lambda *data, **options: seen.append(options.get("target"))  # type: ignore[method-assign]
    state.set_lake(lake)
    shell.user_ns["odd"] = pd.DataFrame([[1, 2, 3]], columns=["town", Mute(), 7])
    for line in ("search odd.town --target 7", "search odd.town --target town", "search odd --target=7", "search odd"):
        shell.run_line_magic("lakeview", line)
    assert seen == [7, "town", 7, None]
