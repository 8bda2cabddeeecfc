"""Plain objects with the attributes that the display reads, to show any state without a lake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass
class Counts:
    left_rows: int
    left_matched: int
    right_rows: int
    right_matched: int
    rows_out: int
    max_fanout: int


@dataclass
class Query:
    name: str
    distinct: int
    nulls: int
    rows: int
    texts: None = None


@dataclass
class Hit:
    table: str
    column: str
    overlap: int
    containment: float
    rows: int
    jaccard: float = 0.01
    counts: Counts | None = None
    reason: str = ""
    accidental: bool = False
    key_like: bool = True
    method: str = "exact"
    containment_low: float = 0.0
    containment_high: float = 1.0
    reverse_containment: float = 0.5
    distinct: int = 100
    score: float = 0.5
    role: str = "values"
    common: bool = False
    matching: list[tuple[object, int]] = field(default_factory=list)
    missing: list[tuple[object, int]] = field(default_factory=list)
    pro: tuple[str, ...] = ("the names agree",)
    con: tuple[str, ...] = ()
    brings: tuple[str, ...] = ("name", "lat", "lon", "alt")
    asked_distinct: int = 105
    alike: list[Hit] = field(default_factory=list)
    telling: tuple[object, ...] = ()

    @property
    def confidence(self) -> str:
        return "chance" if self.accidental else "sure" if self.score >= 0.5 else "possible"

    @property
    def line(self) -> str:
        return f"{self.overlap} of {self.asked_distinct} codes{', a key' if self.key_like else ''}"

    def examples(self, n: int = 4) -> tuple[list[tuple[object, int]], list[tuple[object, int]]]:
        return self.matching[:n], self.missing[:n]


@dataclass
class Hits(Sequence):
    query: Query
    hits: list[Hit]
    tables: int = 43
    columns: int = 512
    seconds: float = 0.012
    problems: int = 0
    closest: list[Hit] = field(default_factory=list)
    possible: list[Hit] = field(default_factory=list)
    estimated: bool = False
    left_out: list[str] = field(default_factory=list)
    tried: str = ""
    target: object = None

    @property
    def doubtful(self) -> int:
        return len(self.possible)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, i):
        return self.hits[i]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


def flights() -> Hits:
    """The answer that the design shows: flights.dest of 105 airports in 336,776 rows."""
    n = 336_776
    faa = [("ORD", 17_283), ("ATL", 17_215), ("LAX", 16_174), ("BOS", 15_508)]
    return Hits(
        Query("flights.dest", 105, 0, n),
        [
            Hit("world_airports.parquet", "iata", 105, 1.0, 7_884, 0.013, Counts(n, n, 7_884, 105, n, 1),
                "All values match; `world_airports.iata` is a key.", matching=faa),
            Hit("airports.csv.gz", "faa", 101, 0.962, 1_458, 0.069, Counts(n, 329_174, 1_458, 101, n, 1),
                "101 of 105 match; `airports.faa` is a key.", matching=faa,
                missing=[("SJU", 5_819), ("BQN", 896), ("STT", 522), ("PSE", 365)]),
            Hit("notes/delay_log.csv", "to_airport", 88, 0.84, 120, 0.79, Counts(n, 300_000, 120, 88, 412_300, 9),
                "“BOS/Boston” holds “BOS”.", method="sketch", containment_low=0.76, containment_high=0.9,
                key_like=False),
            Hit("routes.dat", "dst", 105, 1.0, 67_663, 0.031, Counts(n, n, 67_663, 21_000, 82_380_482, 911),
                "All values match, but `dst` is no key: each flight meets 245 routes. Ranked down.", key_like=False),
            Hit("airlines.dat", "icao", 66, 0.63, 6_162, 0.011, Counts(n, 213_761, 6_162, 66, n, 1),
                "Codes meet by chance: about 35 of 105 expected in any list of 5,853 three-letter codes.",
                accidental=True, key_like=False),
        ],
    )  # fmt: skip


def nothing() -> Hits:
    """No hit: two columns came near, three files could not be read in full."""
    closest = [Hit("aircraft.csv", "icao_code", 6, 6 / 127, 300), Hit("teams.csv", "park", 1, 1 / 127, 2_000)]
    return Hits(Query("planes.model", 127, 0, 3_322), [], closest=closest, problems=3, seconds=0.009)
