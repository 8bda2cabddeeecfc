"""Messy text beside its twin as a careful person would clean it: the same table, and `problems` says what was done."""

from __future__ import annotations

import gzip

import pytest

from lakeview.catalog.sources import ReadError


def same(lake, messy: str | bytes, clean: str, told: str | None, name: str = "messy.csv") -> None:
    """`messy` reads as `clean` does; told: what is reported, None: nothing."""
    lake.write(name, messy)
    lake.write("clean.csv", clean)
    assert lake.columns(name) == lake.columns("clean.csv")
    assert lake.rows(name) == lake.rows("clean.csv")
    found = {problem.problem for problem in lake.problems(name)}
    assert told in found if told else not found
    assert lake.problems("clean.csv") == []


def unchanged(lake, text: str, told: str, name: str = "x.csv") -> None:
    """`text` is not taken for messy in this way."""
    lake.write(name, text)
    assert told not in {problem.problem for problem in lake.problems(name)}


TWO = "Area,Count\nnorth,1\nsouth,2\nwest,3\n"


@pytest.mark.parametrize(
    "title",
    ["Reports 2024,\n,\n", "Reports 2024,\n", ",\n,\n", "Reports,\nof 2024,\n,\n", "Reports 2024\n,\n", "Reports\n\n"],
)
def test_a_title_above_two_columns(lake, title):
    same(lake, title + TWO, TWO, "preamble")


def test_a_title_and_an_empty_row_above_words(lake):
    clean = "Name,Town\nAnn,Ulm\nBo,Bern\n"
    same(lake, "Staff,\n,\n" + clean, clean, "preamble")


@pytest.mark.parametrize("text", ["name,\na,x\nb,y\n", "name,\na,1\nb,2\n", "a,b\n,\nx,1\ny,2\n", "a,\nb,\nc,\n"])
def test_no_title(lake, text):
    unchanged(lake, text, "preamble")


@pytest.mark.parametrize(
    "notes", ["Account;Blue\n", "Account;Blue\nFrom;2024-06-02\nTo;2024-06-29\n", "Account;Blue;;\n", "Account\nx;y\n"]
)
@pytest.mark.parametrize("ends", [("", ";;;", ";;;"), (";", ";", ";"), (";;", "", ";;")])
@pytest.mark.parametrize("zipped", [False, True])
def test_pairs_above_rows_with_delimiters_too_many(lake, notes, ends, zipped):
    rows = ["19.06.;22.06.;1435", "14.06.;14.06.;88", "12.06.;13.06.;12"]
    head = "Booked;Settled;Amount\n"
    messy = notes + head + "".join(f"{row}{end}\n" for row, end in zip(rows, ends, strict=True))
    name = "messy.csv.gz" if zipped else "messy.csv"
    data = gzip.compress(messy.encode()) if zipped else messy
    same(lake, data, head + "\n".join(rows), "preamble", name)


UNITS = [
    ("well,depth,flow,opened", "-,m,l/s,year", "W-01,12.5,3.1,1999"),
    ("well,depth,flow,opened", ",[m],[l/s],[a]", "W-01,12.5,3.1,1999"),
    ("time,t,p", "YYYY-MM-DD,°C,hPa", "2024-01-01,1.5,1013"),
    ("name,mass,price", "text,kg,EUR", "nut,2.5,3"),
    ("x,y", "mm,mm", "1.5,2"),
    ("date,price,volume", "YYYY-MM-DD,USD,shares", "2024-01-01,1.5,10"),
    ("site,load,share", ",µg m-3,%", "A,5,12"),
    ("site,speed,n", "(name),(km/h),(count)", "A,5,12"),
]


@pytest.mark.parametrize(("header", "units", "row"), UNITS)
def test_a_row_of_units(lake, header, units, row):
    rows = "".join(f"{row}{number}\n" for number in range(4))
    same(lake, f"{header}\n{units}\n{rows}", f"{header}\n{rows}", "units row")
    same(lake, f"Title\n\n{header}\n\n{units}\n{rows}", f"{header}\n{rows}", "units row")


@pytest.mark.parametrize(
    "text",
    [
        "name,score\nann,unknown\nbo,5\ncy,7\n",
        "name,rank\nBo,DNF\nAnn,3\nCy,4\n",
        "unit,n\nm,5\nkg,7\ns,8\n",
        "unit,of\nm,cm\nkg,g\nh,s\n",
        "name,size\nann,m\nbo,5\ncy,7\n",
        "grade,note\na,\n,\n1,\n",  # a single number
        "grade,note\na,\n1,\n2,\n",
        "a,b\n-,-\n1,2\n3,4\n",
        "a,b\n-,h\n" + "1,2\n" * 20 + "3,h\n",  # a value
    ],
)
def test_no_row_of_units(lake, text):
    unchanged(lake, text, "units row")


@pytest.mark.parametrize("first", ["#chrom", "# chrom", "##chrom", '"#chrom"'])
@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
def test_a_header_in_a_comment(lake, first, delimiter):
    rows = "chrom,start,name\nchr1,1000,A\nchr2,2000,B\nchrX,3000,C\n".replace(",", delimiter)
    same(lake, rows.replace("chrom", first), rows, "commented header")


@pytest.mark.parametrize("text", ["#,name\n1,a\n2,b\n", "#wins,#losses\n1,2\n3,4\n", "#\n1\n2\n", "a,#b\n1,2\n"])
def test_names_that_keep_their_hash(lake, text):
    unchanged(lake, text, "commented header")


@pytest.mark.parametrize(
    "years",
    [
        [2001, 2002, 2004],
        [1990, 2000, 2005, 2010],
        [2020, 2019, 2017, 2016],
        [1901, 1951, 1961, 1971, 2001],
        [2001, 2002, 2003, 2004, 2005, 2006, 2008],
    ],
)
def test_years_with_gaps_are_names(lake, years):
    rows = "".join(f"{name},{','.join(str(year % 7 + shift) for year in years)}\n" for shift, name in enumerate("abc"))
    lake.write("x.csv", "country," + ",".join(map(str, years)) + "\n" + rows)
    assert lake.columns("x.csv") == ["country", *map(str, years)]
    assert lake.table("x.csv").num_rows == 3


@pytest.mark.parametrize("odd", ["\ufeff", "\u200b", "\u200d", "\u2060"])
def test_names_have_no_characters_without_width(lake, odd):
    lake.write("x.csv", f"id,na{odd}me,{odd}n\n1,a,2\n")
    assert lake.columns("x.csv") == ["id", "name", "n"]


@pytest.mark.parametrize(
    "text",
    [
        "NAME         STATUS   AGE\nevents       Active   77d\nworkflows    Active   78d\nbeta         Idle     235d\n",
        "name      n\nann       5\nbo       12\n",
        "a   b   c\n1   2   3\n4   5   6\n7   8   9\n",
        "id  city name  pop\n1   New York   9\n22  Oslo       1\n",
        "   x     y\n 1.5  22.5\n10.5   3.5\n",
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt"])
def test_columns_aligned_by_blanks_are_refused(lake, text, name):
    lake.write(name, text)
    with pytest.raises(ReadError, match="held apart by blanks"):
        lake.table(name)


@pytest.mark.parametrize(
    "text", ["note\nfoo  bar\nbaz\nqux quux\n", "name\nNew York\nOslo\n", "a\nx  y\nxy  z\nzzz  q\n"]
)
def test_a_column_with_blanks_is_one(lake, text):
    lake.write("x.csv", text)
    assert len(lake.columns("x.csv")) == 1


LEVELS = "site,depth,flow\nA1,2.5,10\nB7,3.5,20\nC9,4.5,30\n"


@pytest.mark.parametrize("mark", ["#", "# ", "//", "% ", "-- ", "!"])
@pytest.mark.parametrize(
    "layout",
    [
        "{0}made by x\n{0}version 3\n{1}{2}{3}",
        "{0}made by x\n{1}{0}in metres\n{2}{0}pump off\n{3}",
        "{1}{0}in metres\n{2}{3}",
        "{1}{2}{3}{0}end of file\n",
        "{0}made by x\n{0}a, b\n{1}{0}in metres, roughly\n{2}{3}{0}\n",
        '{0}made by x\n{0}by a, b, c\n{1}{2}{0}open,"quote\n{3}',
        "{0}x\n\n{1}{0}y\n\n{2}\n{0}z\n{3}",
    ],
)
def test_comments(lake, mark, layout):
    lines = LEVELS.splitlines(keepends=True)
    same(lake, layout.format(mark, lines[0], lines[1], "".join(lines[2:])), LEVELS, "comment lines")


def test_comments_as_wide_as_the_table_above_a_header(lake):
    same(lake, "# one, two\na,b\n1,2\n# three, four\n3,4\n", "a,b\n1,2\n3,4\n", "comment lines")


def test_years_beside_an_empty_cell_over_words(lake):
    lake.write("x.csv", ",2001,2003,2004\nAnn,1,2,3\nBo,2,3,4\n")
    assert lake.columns("x.csv") == ["column_1", "2001", "2003", "2004"]


def test_comments_are_counted_in_a_long_file(lake):
    rows = [f"A{number},{number},x\n" for number in range(20_000)]
    messy = "".join(row + (f"# note {number}\n" if number % 1000 == 0 else "") for number, row in enumerate(rows))
    lake.write("x.csv", "# first\nsite,n,kind\n" + messy)
    assert lake.table("x.csv").num_rows == 20_000
    [problem] = lake.problems()
    assert (problem.problem, problem.count) == ("comment lines", 21)
    lake.write("x.csv", "# first\nsite,n,kind\n" + messy + "# of, the, width\nZ,1,x\n")  # Arrow's reader gives up
    assert lake.table("x.csv").num_rows == 20_001
    assert [(problem.problem, problem.count) for problem in lake.problems()] == [("comment lines", 22)]


@pytest.mark.parametrize(
    "text",
    [
        "tag,n\n#one,1\n#two,2\nthree,3\nfour,4\n",
        "colour,name\n#ff0000,red\n#00ff00,green\nnone,x\nblack,y\n",
        "tag\n#one\ntwo\nthree\n",
        "#,name\n1,a\n2,b\n3,c\n",
        'tag,n\n"#one",1\ntwo,2\nthree,3\n',
        "n,note\n-1,a\n--,b\n2,c\n",
    ],
)
def test_no_comments(lake, text):
    unchanged(lake, text, "comment lines")
    assert lake.table("x.csv").num_rows == len(text.splitlines()) - 1


def test_a_quoted_cell_is_no_comment(lake):
    lake.write("x.csv", '# made by x\ntag,n,kind\n"#one",1,x\ntwo,2,y\n')
    assert lake.rows("x.csv") == [("#one", "1", "x"), ("two", "2", "y")]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_line_in_a_quoted_cell_is_no_comment(lake, delimiter):
    names = ["name\n# of it", "n\n# of them", "kind\n# of all"]
    rows = [(name, str(n), "x") for n, name in enumerate(["Ann", "#Bo", *"CDEFGHIJ"])]
    lake.write("x.csv", "\n".join(map(delimiter.join, [[f'"{name}"' for name in names], *rows])))
    assert lake.columns("x.csv") == names
    assert lake.rows("x.csv") == rows
    assert lake.problems() == []


@pytest.mark.parametrize(
    "above", ['##fileformat=VCFv4.2\n##INFO=<ID=DP,Number=1,Description="Total, depth">\n', "# made by x\n", "#\n"]
)
@pytest.mark.parametrize("mark", ["#", "# "])
def test_a_header_in_the_last_of_comments(lake, above, mark):
    clean = "CHROM\tPOS\tREF\n1\t1000\tA\n1\t2000\tC\nX\t3000\tG\n"
    same(lake, above + mark + clean, clean, "commented header", "messy.tsv")


SINGLE = [
    ("id,name,n\n1,'Smith, Ann',5\n2,'Lee, Bo',6\n3,'O''Brien, Cy',7\n",
     'id,name,n\n1,"Smith, Ann",5\n2,"Lee, Bo",6\n3,"O\'Brien, Cy",7\n'),
    ("'id','name'\n'1','ann'\n'2','bo'\n", "id,name\n1,ann\n2,bo\n"),
    ("id;name\n1;'a;b'\n2;'c'\n3;'d;e'\n", 'id;name\n1;"a;b"\n2;c\n3;"d;e"\n'),
    ("id, name\n1, 'Smith, Ann'\n2, 'Lee, Bo'\n", 'id,name\n1,"Smith, Ann"\n2,"Lee, Bo"\n'),
    ("id,name\n1,'say \"hi\", Ann'\n2,'x'\n3,'y, z'\n", 'id,name\n1,"say ""hi"", Ann"\n2,x\n3,"y, z"\n'),
    ("id,name\n1,'O\\'Brien, Cy'\n2,'Lee, Bo'\n3,'x'\n", 'id,name\n1,"O\'Brien, Cy"\n2,"Lee, Bo"\n3,x\n'),
]  # fmt: skip
BLANKS = [
    ('id, name, town\n1, "Smith, Ann", Ulm\n2, "Lee, Bo", Bern\n3, Cy, "Aix, Nord"\n',
     'id,name,town\n1,"Smith, Ann",Ulm\n2,"Lee, Bo",Bern\n3,Cy,"Aix, Nord"\n'),
    ('id, name\n1, "Ann"\n2, "Bo"\n', "id,name\n1,Ann\n2,Bo\n"),
    ('"id", "name"\n"1", "a ""b"", c"\n"2", "x, y"\n', 'id,name\n1,"a ""b"", c"\n2,"x, y"\n'),
    ('id;  name\n1;  "a; b"\n2;  "c; d"\n', 'id;name\n1;"a; b"\n2;"c; d"\n'),
    ('id, name\n1, "a, b"\n2, "c, d"\n3, "e\nf, g"\n', 'id,name\n1,"a, b"\n2,"c, d"\n3,"e\nf, g"\n'),
]  # fmt: skip
BACKSLASH = [
    ('id,title,n\n1,"Foo \\"Bar\\" x",5\n2,"a, \\"b\\", c",6\n3,plain,7\n4,"end \\"q\\"",8\n',
     'id,title,n\n1,"Foo ""Bar"" x",5\n2,"a, ""b"", c",6\n3,plain,7\n4,"end ""q""",8\n'),
    ('id,t\n1,"a \\"b\\" c"\n2,d\n', 'id,t\n1,"a ""b"" c"\n2,d\n'),
    ('id;t\n1;"\\"b\\"; c"\n2;"x"\n3;"\\"y\\"; z"\n', 'id;t\n1;"""b""; c"\n2;x\n3;"""y""; z"\n'),
    ('"id","t"\n"1","5\\" pipe, steel"\n"2","6\\" pipe, iron"\n', 'id,t\n1,"5"" pipe, steel"\n2,"6"" pipe, iron"\n'),
    ('id,t,n\n1,"a\\\\b",\\N\n2,"c, \\"d\\"",5\n', 'id,t,n\n1,a\\b,\\N\n2,"c, ""d""",5\n'),
]  # fmt: skip
WRAPPED = [
    ('"Name,Family,Age"\n"John,Smith,34"\n"Ann,Lee,41"\n', "Name,Family,Age\nJohn,Smith,34\nAnn,Lee,41\n"),
    ('Name,Family,Age\n"John,Smith,34"\n"Ann,Lee,41"\n', "Name,Family,Age\nJohn,Smith,34\nAnn,Lee,41\n"),
    ('"n,t"\n"1,""a, b"""\n"2,""c, d"""\n', 'n,t\n1,"a, b"\n2,"c, d"\n'),
    ('"a;b;c"\r\n"1;2,5;x"\r\n"2;3,5;y"\r\n', "a;b;c\r\n1;2,5;x\r\n2;3,5;y\r\n"),
    ('"a\tb\tc"\n"x\ty\t5"\n"z\tu\t6"\n', "a\tb\tc\nx\ty\t5\nz\tu\t6\n"),
    ('"name,n"\n"ann,1"\n"bo,2"\n"cy,3"\n', "name,n\nann,1\nbo,2\ncy,3\n"),
]


@pytest.mark.parametrize(("messy", "clean"), [*SINGLE, *BLANKS, *BACKSLASH, *WRAPPED])
def test_quotes_that_are_not_by_the_book(lake, messy, clean):
    same(lake, messy, clean, "odd quotes")


@pytest.mark.parametrize(
    "text",
    [
        "id,name\n1,'tis\n2,'twas\n3,James'\n",
        "id,name\n1,'tis\n2,x,y'\n3,z\n4,'a'\n5,'b'\n",
        "place,lat\n'Ain Draham,36\n'Abu Dhabi,24\nOslo,60\n",
        'id,path\n1,"C:\\dir\\"\n2,"C:\\x"\n',
        'id,t\n1,"a, ""b"", c"\n2,"d"\n',
        'name\n"Smith, Ann"\n"Lee, Bo"\n',
        'name\n"Smith,Ann"\n"Lee,Bo"\n',
        'note\n"a, b, c"\n"d"\n"e, f"\n',
        'id,inch\n1,5"\n2,6"\n',
    ],
)
def test_quotes_by_the_book(lake, text):
    unchanged(lake, text, "odd quotes")


@pytest.mark.parametrize(
    ("messy", "clean"),
    [
        ('zip,n\n="00123",1\n="02139",2\n="94110",3\n', "zip,n\n00123,1\n02139,2\n94110,3\n"),
        ('zip,n\n"=""00123""",1\n"=""02139""",2\n', "zip,n\n00123,1\n02139,2\n"),
        ('="zip",="n"\n="00123",="1"\n="02139",="2"\n', "zip,n\n00123,1\n02139,2\n"),
        ("zip,n\n'00123,1\n'02139,2\n,3\n'94110,4\n", "zip,n\n00123,1\n02139,2\n,3\n94110,4\n"),
        ('zip;n\n="00123";1\n94110;2\n="";3\n', "zip;n\n00123;1\n94110;2\n;3\n"),
        ("phone,n\n'+4930123,1\n'+4930456,2\n", "phone,n\n+4930123,1\n+4930456,2\n"),
    ],
)
def test_a_spreadsheets_guards(lake, messy, clean):
    same(lake, messy, clean, "guarded cells")


@pytest.mark.parametrize(
    "text",
    [
        "season,n\n'68,1\n'69,2\n'70,3\n",
        "word,n\n'tis,1\n'twas,2\n",
        "formula,n\n=A1+B1,1\n=C1,2\n",
        "q,n\n'1 is,1\nx,2\ny,3\n",
    ],
)
def test_no_guards(lake, text):
    unchanged(lake, text, "guarded cells")
    assert lake.rows("x.csv")[0][0] == text.splitlines()[1].split(",")[0]


SPANNED = [
    ("Name,Sales,,Costs,\n,Q1,Q2,Q1,Q2", "Name,Sales Q1,Sales Q2,Costs Q1,Costs Q2", "Ann,1,2,3,4"),
    (",2020,,2021,\nRegion,men,women,men,women", "Region,2020 men,2020 women,2021 men,2021 women", "North,1,2,3,4"),
    ("Region,2020,2020,2021,2021\n,men,women,men,women", "Region,2020 men,2020 women,2021 men,2021 women",
     "North,1,2,3,4"),
    ("Station,Temp,,,Wind,\nid,min,max,mean,speed,dir",
     "Station id,Temp min,Temp max,Temp mean,Wind speed,Wind dir", "A1,1,2,1.5,4,N"),
    ("Region,Population,Population,Area\n,men,women,", "Region,Population men,Population women,Area", "North,1,2,3.5"),
    ("Site,Depth,\n,upper (m),lower (m)", "Site,Depth upper (m),Depth lower (m)", "A,12.5,14"),
]  # fmt: skip


@pytest.mark.parametrize(("two", "one", "row"), SPANNED)
@pytest.mark.parametrize("above", ["", "A title\n\n"])
def test_two_rows_of_names(lake, two, one, row, above):
    rows = "".join(f"{row[0]}{number}{row[1:]}\n" for number in range(5))
    same(lake, f"{above}{two}\n{rows}", f"{one}\n{rows}", "two header rows")


@pytest.mark.parametrize(
    "text",
    [
        "id,score,\n1,unknown,\n2,5,\n3,7,\n4,8,\n",
        "t,t,w\nC,F,m/s\n1,2,3\n4,5,6\n7,8,9\n",  # units
        "a,,b\n1,2,3\n4,5,6\n7,8,9\n",
        "name,,town\nAnn,x,Ulm\nBo,y,Bern\nCy,z,Rome\nDi,w,Oslo\n",
        "x,x\na,a\n1,2\n3,4\n5,6\n",
        "n,2020,2021\n,N/A,N/A\na,1,2\nb,3,4\nc,5,6\n",
    ],
)
def test_one_row_of_names(lake, text):
    unchanged(lake, text, "two header rows")
