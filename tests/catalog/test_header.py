from __future__ import annotations

import pytest

from lakeview.catalog.reading.header import is_header, is_null_mark, is_number


def header(text: str) -> bool:
    first, *rows = [line.split(",") for line in text.split("|")]
    return is_header(first, rows)


@pytest.mark.parametrize(
    "text",
    [
        "name,place|Ana,Oslo|Bo,Bergen",
        "site,n|S1,4|S2,5",
        "country,2019,2020,2021|Peru,46,42,63|Chile,69,73,94",
        "country,2000,2005,2010|Peru,46,42,63|Chile,69,73,94",
        "country,2021,2020|Peru,46,42|Chile,69,73",
        "country,people,2019|Peru,33,46|Chile,19,69",  # one year is no run, but "people" stands over numbers
        "country,2019,2020",
        ",id,name|0,A1,x|1,A2,y",
        ",0,1|0,5,6|1,7,8",  # a frame saved with its index and its numbered columns
        "a,b,|1,2,|3,4,",  # a delimiter too many on every line
        "a,,c|1,2,3|4,5,6",
        "rownames,Mg,Na|1,4.49,13.64|2,3.6,13.89",  # magnesium and sodium
        "id,K-100|1,x|2,y",
        "iata,icao|OSL,ENGM|BGO,ENBR|TRD,ENVA",
        "a,b,c",
        "q1,q2|q2,x|q3,y",
        "IOC,team|USA,x|NOR,y|SWE,z",
    ],
)
def test_headers(text):
    assert header(text)


@pytest.mark.parametrize(
    "text",
    [
        "1,Goroka,5282|2,Madang,20|3,Hagen,5388",
        "-1,Unknown,\\N|1,Private,\\N|2,Airways,GEN",
        "2B,410,AER|2B,411,ASF|2C,412,MRV",
        "\\N,Oslo|\\N,Bergen|5,Lillehammer",
        "Ana,1990,1991|Bo,1985,1992|Cy,1979,1990",  # years over years: born, married
        "Peru,46|Chile,69",
        "Peru,2019|Chile,46",
        ",5|3,6|,7",  # an empty first cell, but no row numbers below
        "2024-01-01,x|2024-01-02,y",
        "de_DE,Deutsch|en_US,English|es_ES,Spanish|fr_FR,French",
        "A-17,wren|A-18,owl|B-3,jay|C-4,gull",
        "12:30,x|7:05,y",
        "Nord 262,N262|Sud 210,S210|Airbus,A30B|Boeing,B741",
        "1,2,3",
        "x,5",
    ],
)
def test_data(text):
    assert not header(text)


def test_uneven_rows_are_no_trouble():
    assert is_header(["a", "b"], [["1"], ["1", "2", "3"], []])
    assert not is_header(["1", "b"], [[], ["2"]])


@pytest.mark.parametrize(
    "text", ["5", "+5", "-5.0", "1.", ".5", "1e9", "1,5", "1,234,567.8", "1.234,00", "$5", "12 %", " 7 "]
)
def test_numbers(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "-", "x1", "1x", "1 2 3 4 x", "1.2.3", "--5", "e9", "NA", "2024-01-01", "12:30"])
def test_no_numbers(text):
    assert not is_number(text)


def test_null_marks():
    assert all(map(is_null_mark, ["\\N", "NA", "n/a", "NULL", "None", "nan", "-", "", "  "]))
    assert not any(map(is_null_mark, ["0", "N", "--", "none of these"]))
