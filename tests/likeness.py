"""People, firms and places for lakes whose values meet after a step, or by several columns together."""

from __future__ import annotations

FIRST = ["Ann", "Ben", "Cem", "Dora", "Eva", "Finn", "Gwen", "Hugo", "Ida", "Jon", "Kim", "Lea"]
LAST = ["Doe", "Roe", "Ott", "Lang", "Kern", "Wolf", "Hahn", "Graf", "Beck", "Voss", "Kuhn", "Maas"]
NAMES = [f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)]
TURNED = [f"{last}, {first}" for first, last in zip(FIRST, LAST, strict=True)]  # a program joins them with the names
FIRMS = [
    "Alder Bridge Logistics", "Blue Harbor Foods", "Cascade Timber", "Delta Ridge Mining", "Eastfield Textiles",
    "Falcon Point Energy", "Granite Peak Tools", "Hollow Creek Paper", "Iron Valley Steel", "Juniper Lane Design",
    "Kestrel Wing Aviation", "Lakeside Printing Works", "Maple Grove Dairy", "Northgate Chemicals",
    "Orchard Hill Cider", "Pinecrest Furniture", "Quarry Bank Stone", "Redwood Coast Shipping", "Silver Birch Glass",
    "Thornbury Ceramics",
]  # fmt: skip
_ENDS = [" Inc.", ", Ltd", " Corp.", " Company", " LLC"]
# Without one letter and with an ending: no program joins them with the firms, similar text does.
SUPPLIERS = [firm[: 3 + i % 7] + firm[4 + i % 7 :] + _ENDS[i % 5] for i, firm in enumerate(FIRMS)]
TOWNS = ["Bonn", "Rome", "Oslo", "Lima", "Kyiv", "Cork", "Nice", "Porto", "Graz", "Turku"]
# Of each town some days: neither alone tells a row.
SEEN = [(town, f"2024-03-{1 + (3 * i + 7 * n) % 28:02d}") for n, town in enumerate(TOWNS) for i in range(6)]
STATES = {
    "Alabama": "AL", "Alaska": "AK", "Arizona": "AZ", "California": "CA", "Colorado": "CO", "Florida": "FL",
    "Georgia": "GA", "Idaho": "ID", "Kansas": "KS", "Nevada": "NV", "Ohio": "OH", "Texas": "TX",
}  # fmt: skip
