"""Shapes as Spark SQL: the expression of a text, reshaped."""

from __future__ import annotations

import re

from lakeview.join.naming import sql_string
from lakeview.join.transform import amounts, dates
from lakeview.join.transform.shapes import formats_of, mark_of, width_of
from lakeview.values.months import MONTH_NAMES, MONTH_NUMBERS

_NOT_ALNUM = r"[^\p{L}\p{N}]+"
# How Spark reads and prints the fields of a date.
_READ = {"%Y": "yyyy", "%y": "yy", "%m": "M", "%d": "d", "%b": "MMM", "%B": "MMMM"}
_PRINT = {"%Y": "yyyy", "%y": "yy", "%m": "MM", "%-m": "M", "%d": "dd", "%-d": "d", "%b": "MMM", "%B": "MMMM",
          "%a": "EEE", "%A": "EEEE"}  # fmt: skip


def shape_sql(name: str, sql: str) -> str:
    """The expression of any shape but "plain", which depends on the text."""
    if name == "bare":
        ends = sql_string(f"^{_NOT_ALNUM}|{_NOT_ALNUM}\\z")
        return f"regexp_replace({sql}, {ends}, '')"
    if name == "letters":
        return f"regexp_replace({sql}, {sql_string(_NOT_ALNUM)}, '')"
    if name == "initials":
        return f"regexp_replace({sql}, ' *([^ ])[^ ]* *', '$1')"
    if name == "sorted":
        words = f"split(trim(regexp_replace({sql}, {sql_string(_NOT_ALNUM)}, ' ')), ' ')"
        return f"array_join(array_sort({words}), ' ')"
    if name == "unpad":
        return f"regexp_extract({sql}, {sql_string('^0*([0-9]+)' + chr(92) + 'z')}, 1)"
    if width := width_of(name, "pad"):
        return (f"CASE WHEN {sql} RLIKE {sql_string('^[0-9]+' + chr(92) + 'z')} "
                f"THEN lpad({sql}, greatest(length({sql}), {width}), '0') END")  # fmt: skip
    if name == "digits":
        return f"regexp_replace({sql}, '[^0-9]+', '')"
    if name == "digits0" or width_of(name, "digits"):
        digits, width = f"regexp_extract({shape_sql('digits', sql)}, '^0*([0-9]+)$', 1)", width_of(name, "digits")
        # Of what has no digits nothing is made: zeros alone would be a number.
        padded = f"lpad({digits}, greatest(length({digits}), {width}), '0')"
        return f"CASE WHEN {digits} <> '' THEN {padded} END" if width else digits
    if mark := mark_of(name):
        point, between = amounts.MARKS[mark]
        number = f"regexp_extract({sql}, {sql_string(amounts.pattern(mark))}, 1)"
        marks = sql_string(f"[{between} '’+]")
        number = f"regexp_replace({number}, {marks}, '')"
        if point != ".":
            number = f"replace({number}, {sql_string(point)}, '.')"
        return f"regexp_replace({number}, {sql_string(chr(92) + '.0+$|(' + chr(92) + '.[0-9]*[1-9])0+$')}, '$1')"
    if formats := formats_of(name):
        return _date(sql, *formats)
    if name not in ("month_number", "month_name"):
        raise KeyError(f"no shape {name!r}")
    months = MONTH_NUMBERS if name == "month_number" else MONTH_NAMES
    listed = ", ".join(f"{sql_string(a)}, {sql_string(b)}" for a, b in months.items())
    return f"try_element_at(map({listed}), lower({sql}))"


def _date(sql: str, source: str, to: str) -> str:
    weekday = re.match("%[aA][, ]+", source)
    if weekday:  # Spark reads none
        sql = f"regexp_extract({sql}, {sql_string('^[a-z]+' + weekday[0][2:] + '(.*)$')}, 1)"
        source = source[weekday.end() :]
    if dates.is_compact(source):  # each field has all of its digits
        pattern = "".join({"%Y": "yyyy", "%y": "yy", "%m": "MM", "%d": "dd"}[field] for field in _fields(source))
        sql = f"regexp_extract({sql}, '^([0-9]{{{len(pattern)}}})$', 1)"
    else:
        pattern = _pattern(source, _READ)
    day = f"try_to_date({sql}, {sql_string(pattern)})"
    if "%y" in source:  # Spark has all of them in this century
        day = f"if(year({day}) >= {2000 + dates.PIVOT}, add_months({day}, -1200), {day})"
    printed = f"date_format({day}, {sql_string(_pattern(to, _PRINT))})"
    return f"lower({printed})" if any(field in to for field in ("%a", "%A", "%b", "%B")) else printed


def _fields(format: str) -> list[str]:
    return re.findall("%-?[a-zA-Z]", format)


def _pattern(format: str, fields: dict[str, str]) -> str:
    """A format of strptime as Java writes it; letters that stand for themselves are quoted."""
    parts = re.split("(%-?[a-zA-Z])", format)
    return "".join(
        fields[part] if part in fields else re.sub("[a-zA-Z]+", r"'\g<0>'", part).replace("#", "'#'") for part in parts
    )
