"""Names of months and weekdays, as dates in text have them."""

from __future__ import annotations

MONTHS = ("january", "february", "march", "april", "may", "june",
          "july", "august", "september", "october", "november", "december")  # fmt: skip
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTH_NUMBERS: dict[str, str] = {
    spelling: f"{number:02d}"
    for number, month in enumerate(MONTHS, start=1)
    for spelling in (month, month[:3], month[:3] + ".", *(("sept", "sept.") if number == 9 else ()))
}
MONTH_NAMES: dict[str, str] = {
    spelling: month
    for number, month in enumerate(MONTHS, start=1)
    for spelling in (str(number), f"{number:02d}", month[:3], month[:3] + ".")
}
