from __future__ import annotations

import pytest

from lakeview.catalog.sources import ReadError, text_format


@pytest.fixture
def form(lake):
    return lambda text, name="x.csv": text_format(str(lake.write(name, text)))


class TestDelimiter:
    @pytest.mark.parametrize(
        ("name", "text", "delimiter"),
        [
            ("x.csv", "artikel;menge;preis\nA-1;2,5;3,50\nA-2;10,0;1.234,00\n", ";"),
            ("x.csv", "A-1;2,5;3,50\nA-2;10,0;4,00\n", ";"),  # without a header commas are as regular
            ("x.csv", "id,tags\n1,a;b\n2,c;d\n", ","),
            ("x.csv", "1,a;b\n2,c;d\n", ","),
            ("x.csv", "a\tb\n1,5\t2\n", "\t"),
            ("x.tsv", "a,b\n1,2\n", ","),
            ("x.tsv", "name\nSmith, John\nDoe, Jane\nBell\n", "\t"),
            ("x.psv", "a|b\n1|2\n", "|"),
            ("x.txt", "a|b\nx, y, z|2\nu|3\n", "|"),
            ("x.dat", '1,"Goroka, PG"\n2,"Madang"\n', ","),
            ("x.csv", "site;species;n\nS1;wren;4\nS2;owl\nS3;jay;2;windy\nS4;crow;1;\nS5;gull;3\n", ";"),
            ("x.csv", "note\nfoo; bar\nbaz; qux\nhello\n", ","),
            ("x.csv", '"a";"b"\n"";"\t"\n', ";"),
            ("x.csv", "key\nB1\nB2\n", ","),
            ("x.csv", "sep=|\na,b|c\n1,5|2\n", "|"),
            ("x.csv", 'text,n\n"a;b;c",1\n"d;e;f",2\n', ","),
        ],
    )
    def test_sniffed(self, form, name, text, delimiter):
        assert form(text, name).delimiter == delimiter

    def test_one_column(self, lake):
        lake.write("x.csv", "place\nOslo\nNew York\n")
        assert lake.rows("x.csv") == [("Oslo",), ("New York",)]
        assert lake.problems() == []


class TestPreamble:
    @pytest.mark.parametrize(
        ("notes", "lines"),
        [
            ("Report of 2024\n", 1),
            ("Report of 2024\n\nSource: the office\n\n", 4),
            ("Report,,\n", 1),
            ("Report of 2024\n,,\n", 2),
            ("Made on 2024-01-01, by X\n", 1),
        ],
    )
    def test_read_past_and_reported(self, lake, notes, lines):
        path = lake.write("x.csv", f"{notes}name,n,m\na,1,2\nb,3,4\n")
        assert lake.columns("x.csv") == ["name", "n", "m"]
        assert lake.rows("x.csv") == [("a", "1", "2"), ("b", "3", "4")]
        [problem] = lake.problems()
        assert problem.problem == "preamble"
        assert text_format(str(path)).skip_lines == lines + 1

    def test_the_notes_of_a_statistics_office(self, lake):
        years = range(1990, 2000)
        lake.write(
            "x.csv",
            '\ufeff"Data Source","Indicators",\n\n"Last Updated Date","2024-05-30",\n\n'
            + '"Country","Code",' + "".join(f'"{year}",' for year in years) + "\n"
            + "".join(f'"{name}","{name[:3].upper()}",' + '"5.1",' * 10 + "\n" for name in ("Aruba", "Chad", "Peru")),
        )  # fmt: skip
        assert lake.columns("x.csv") == ["Country", "Code", *map(str, years), "column_13"]
        assert lake.table("x.csv").num_rows == 3

    def test_before_data_without_a_header(self, lake):
        lake.write("x.csv", "Measured in May\n1,2,3\n4,5,6\n")
        assert lake.columns("x.csv") == ["column_1", "column_2", "column_3"]
        assert lake.table("x.csv").num_rows == 2

    @pytest.mark.parametrize(
        "text",
        [
            "name,,\na,x,y\nb,z,u\n",  # one named column and two without
            "a,b,c\nx,y,z,,,,\nu,v,w,,,,\n",
            "a,b\nx,y,z\nu,v,w\n",
            "a,b,c\n1,2,3,,,,\n4,5,6,,,,\n7,8,9,,,,\n",  # delimiters too many
            "name\na\nb\n",
            "a,b\n1,2\n",
        ],
    )
    def test_none(self, lake, text):
        lake.write("x.csv", text)
        assert "preamble" not in {problem.problem for problem in lake.problems()}
        assert lake.columns("x.csv")[0] in ("name", "a")

    def test_sep_line(self, lake):
        lake.write("x.csv", "\ufeffsep=;\r\na;b\r\n1;2\r\n")
        assert lake.columns("x.csv") == ["a", "b"]
        assert lake.rows("x.csv") == [("1", "2")]
        [problem] = lake.problems()
        assert problem.problem == "sep= line"


class TestNames:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            (",id,name,id\n0,A1,x,B1\n1,A2,y,B2\n", ["column_1", "id", "name", "id_2"]),
            ("a,,\nx,y,z\n", ["a", "column_2", "column_3"]),
            ("column_2,,x\nx,y,z\n", ["column_2", "column_3", "x"]),
            ("1,x\n2,y\n", ["column_1", "column_2"]),
            ('"a\nb",c\n1,2\n', ["a\nb", "c"]),
            ("x,y\na,2,3\nb,3,4\nc,4,5\n", ["column_1", "x", "y"]),  # R leaves out the name of the row names
            ("x,y\na,2,3\na,3,4\nb,4,5\n", ["x", "y", "column_3"]),
            ("x,y,\na,2\nb,3\n", ["x", "y"]),
            ("x,y\na,2,\nb,3,\nc,4,\n", ["x", "y"]),
        ],
    )
    def test_names(self, lake, text, names):
        lake.write("x.csv", text)
        assert lake.columns("x.csv") == names

    def test_a_header_alone_has_no_rows(self, lake):
        lake.write("x.csv", "a,b,c")
        [batch] = lake.read("x.csv")[0]
        assert batch.schema.names == ["a", "b", "c"]
        assert batch.num_rows == 0
        assert lake.problems() == []


class TestSkipping:
    """What other code must skip, in lines and in rows."""

    @pytest.mark.parametrize(
        ("text", "lines", "rows"),
        [
            ("a,b\n1,2\n", 1, 1),
            ("1,2\n3,4\n", 0, 0),
            ('"a\nx",b\n1,2\n', 2, 1),
            ("\n\na,b\n1,2\n", 3, 3),
            ("sep=,\na,b\n1,2\n", 2, 2),
            ("Title\n\na,b,c\n1,2,3\n4,5,6\n", 3, 3),
        ],
    )
    def test_skip(self, form, text, lines, rows):
        found = form(text)
        assert (found.skip_lines, found.skip_rows) == (lines, rows)
        assert found.rows is not None

    @pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
    def test_newline(self, form, newline):
        found = form(newline.join(["a,b", "1,2", "3,4"]))
        assert (found.newline, found.rows) == (newline, 2)


class TestNoTables:
    PROSE = (
        "This is a text about things, and it goes on, well.\nAnother line, of the text\nSome more words follow it.\n"
    )

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("README.txt", PROSE, "running text"),
            (
                "README.txt",
                "Hello there.\n\nThis folder holds the tables of the office.\nAsk Ana for more.\n",
                "running",
            ),
            ("README.txt", "One, two words here make a line.\nTwo, more words here make a line.\n", "running text"),
            ("x.dat", "1  2.5   3\n2  3.5   4\n", "held apart by blanks"),
            ("x.dat", "1 2.5 3\n2 3.5 4\n", "held apart by blanks"),
            ("x.csv", "<!DOCTYPE html>\n<html><body>Please log in</body></html>\n", "web page"),
            ("x.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n", "Git LFS"),
        ],
    )
    def test_refused(self, form, name, text, message):
        with pytest.raises(ReadError, match=message):
            form(text, name)

    @pytest.mark.parametrize("text", ["apple\npear\nfig\n", "New York\nSan Jose\nOslo\n", "word\nNew York\n"])
    def test_a_list_of_words_is_a_table(self, lake, text):
        lake.write("x.txt", text)
        assert lake.table("x.txt").num_rows == len(text.splitlines()) - 1

    @pytest.mark.parametrize("text", ["", "\n\n", " \n", "\ufeff", "\ufeff\n"])
    def test_nothing(self, lake, text):
        lake.write("x.csv", text)
        [problem] = lake.problems()
        assert (problem.table, problem.problem) == ("x.csv", "empty")
        assert "x.csv" not in lake.tables() or lake.read("x.csv")[0] == []


def test_a_sample_that_ends_inside_a_long_quoted_cell(lake):
    """Lines inside a quoted cell that the sample cuts are not taken for rows."""
    essay = "".join(f"line {number}, with; some | commas,,\n" for number in range(5000))
    lake.write("x.csv", "id,text\n" + "".join(f"{number},short\n" for number in range(5)) + f'6,"{essay}"\n7,end\n')
    assert lake.columns("x.csv") == ["id", "text"]
    assert lake.table("x.csv").num_rows == 7
    assert lake.problems() == []
