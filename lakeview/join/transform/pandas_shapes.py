"""Shapes as pandas code: what is appended to the code of a Series of text."""

from __future__ import annotations

from lakeview.join.naming import literal
from lakeview.join.transform import amounts, dates
from lakeview.join.transform.shapes import formats_of, mark_of, width_of
from lakeview.values.months import MONTH_NAMES, MONTH_NUMBERS

_SHAPES = {
    "bare": r'.str.replace(r"^[\W_]+|[\W_]+\Z", "", regex=True)',
    "letters": r'.str.replace(r"[\W_]+", "", regex=True)',
    "initials": r'.str.replace(r" *([^ ])[^ ]* *", r"\1", regex=True)',
    "sorted": r'.str.replace(r"[\W_]+", " ", regex=True).str.split().map(sorted, na_action="ignore").str.join(" ")',
    "unpad": r'.str.extract(r"^0*([0-9]+)\Z", expand=False)',
    "month_number": f".str.lower().map({literal(MONTH_NUMBERS)})",
    "month_name": f".str.lower().map({literal(MONTH_NAMES)})",
    "digits": '.str.replace("[^0-9]+", "", regex=True)',
}
_DIGITS = '.str.replace("[^0-9]+", "", regex=True).str.extract("^0*([0-9]+)$", expand=False)'
FIRST, LAST = 1678, 2261  # years that pandas' times hold whole


def shape_code(name: str) -> str:
    """The code of any shape but "plain", which depends on the text."""
    if name in _SHAPES:
        return _SHAPES[name]
    if width := width_of(name, "pad"):
        return rf'.str.extract(r"^([0-9]+)\Z", expand=False).str.zfill({width})'
    if name == "digits0" or width_of(name, "digits"):
        width = width_of(name, "digits")
        return _DIGITS + (f".str.zfill({width})" if width else "")
    if mark := mark_of(name):
        point, between = amounts.MARKS[mark]
        code = f".str.extract({literal(amounts.pattern(mark))}, expand=False)"
        marks = literal(f"[{between} '’+]")
        code += f'.str.replace({marks}, "", regex=True)'
        if point != ".":
            code += f'.str.replace({literal(point)}, ".", regex=False)'
        return code + r'.str.replace(r"\.0+$|(\.[0-9]*[1-9])0+$", r"\1", regex=True)'
    formats = formats_of(name)
    if formats is None:
        raise KeyError(f"no shape {name!r}")
    return _date(*formats)


def _date(source: str, to: str) -> str:
    code = ""
    if dates.is_compact(source):  # pandas would take fewer digits
        digits = 2 * source.count("%") + 2 * source.count("%Y")
        code += f'.str.extract("^([0-9]{{{digits}}})$", expand=False)'
    code += f'.pipe(pd.to_datetime, format={literal(source)}, errors="coerce")'
    if "%-" in to:  # which Windows does not have
        code += f'.dt.strftime({literal(to.replace("%-", "#%"))}).str.replace("#0?", "", regex=True)'
    else:
        code += f".dt.strftime({literal(to)})"
    return code + (".str.lower()" if any(field in to for field in ("%a", "%A", "%b", "%B")) else "")
