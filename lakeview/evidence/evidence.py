"""What speaks for a join and against it, as log-odds that add up, and the probability that they come to.

A column refers to one key. So the columns that share values with it are rivals: with odds e^s of each by itself, the
probability of one is e^s / (1 + sum of all), where 1 stands for "it refers to none of them" (a conditional logit with
an outside option, McFadden 1974). Copies of one list share what speaks for it.

The parts are those of foreign keys (Rostin et al., WebDB 2009; Zhang et al., PVLDB 2010; Chen et al., PVLDB 2014):
the values beyond what chance would meet, uniqueness, names, where the tables lie, repeated rows. Their weights were
fitted on 345 declared keys of 78 public schemas, alone and among 908 other tables, and on columns that refer to nothing
there (tests/benchmarks/ranking.py says how, and judges them on schemas left out); all are rounded to tenths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

EACH = 3.0  # bits that one value tells at most: the values of a column come together
LIKELY = 8.0  # bits of evidence at which chance is as likely as not to be ruled out
MOSTLY = 0.9  # share of the query's values that are most of them
SHARED = 0.5  # share of values from which the values alone may tell
TELLING = 24.0  # bits from which values that are no key's are shared for a reason all the same
OF_A_KEY = 10.0  # and those from which texts of a key are: four of them at least
FEW = 2  # distinct values that any flag has
STRAY = 0.05  # an overlap of less than this share of either side's values says nothing of the two
WHOLLY = 0.8  # probability of a join that nearly all values alone speak for: of such first hits people kept as many
PARTLY = 0.25  # and of one that only some of them do: fewer were judged, and in schemas it is no key
LINE = 0.12  # probability under which an overlap is an accident, unless its values tell otherwise
NAMED = 0.79  # agreement of names from which one means the other
PRIOR = -8.3
WEIGHTS: Mapping[str, float] = {
    "unique": 0.9,  # no value twice, and no nulls
    "key": 3.0,  # what other tables of the lake would call this table's key
    "first": 2.0,  # the leftmost column: people put the key first
    "contained": 1.4,  # share of the query's values
    "mostly": 3.0,  # nine in ten of them
    "whole": 2.2,  # all of them
    "told": 2.0,  # how far chance is ruled out
    "chance": -3.0,  # how far it is not, and names do not vouch either
    "agreement": 2.0,  # of the names
    "named": 1.4,  # a key, and the query is called after it
    "about": 2.1,  # the query is called after the table
    "together": 0.8,  # nats: the tables lie in one folder, whose tables refer to each other
    "beside": 0.9,  # nats: the tables lie in one folder, of tables that do not
    "elsewhere": -2.3,  # the query's folder is another
    "repeats": -1.1,  # log2 of the rows for each value
    "own": -0.7,  # the query is a key itself, of another name
    "time": -2.0,  # years and days meet wherever there are any
    "measure": -5.0,  # a quantity refers to nothing
    "columns": -0.7,  # log of the columns of the lake: more of them meet by chance
}


@dataclass(frozen=True)
class Evidence:
    """What is known of a query and n columns, float64[n] each unless told otherwise.

    overlap, contained  shared values, and their share of the query's
    distinct            of the columns
    chance              share of the query's values that a column would hold by chance (`evidence.standins`)
    rare                bits that the shared values tell by their rarity in the lake
    unique, key, first  bool[n], of the columns
    agreement, about    how far the query's name points to the column and to its table, 0 to 1
    place               log of how few of the lake's columns lie in the folder of both; 0 where they do not share one
    cohesion            share of that folder's tables that names link
    elsewhere           bool[n], the query's folder is known, and another
    repeats             log2 of the column's rows for each of its values
    own, time, measure  of the query: whether it is a key itself, and whether it is called a time or a quantity
    numeric, decimal    of the query: whether its values are numbers, and not all of them whole
    asked               distinct values of the query
    columns             of the lake
    """

    overlap: np.ndarray
    contained: np.ndarray
    distinct: np.ndarray
    chance: np.ndarray
    rare: np.ndarray
    unique: np.ndarray
    key: np.ndarray
    first: np.ndarray
    agreement: np.ndarray
    about: np.ndarray
    place: np.ndarray
    cohesion: np.ndarray
    elsewhere: np.ndarray
    repeats: np.ndarray
    own: np.ndarray
    time: np.ndarray
    measure: np.ndarray
    numeric: np.ndarray
    decimal: np.ndarray
    asked: np.ndarray
    columns: np.ndarray

    def take(self, chosen: np.ndarray) -> Evidence:
        """That of some of the columns."""
        return Evidence(*(getattr(self, field.name)[chosen] for field in fields(self)))

    @cached_property
    def bits(self) -> np.ndarray:
        """Bits that rule out chance: by the density of such values in the column, and by their rarity in the lake, the
        smaller of both."""
        return np.minimum(beyond_chance(self.contained, self.chance, self.asked), self.rare)

    @cached_property
    def told(self) -> np.ndarray:
        """How far chance is ruled out, 0 to 1."""
        return told(self.bits)

    @cached_property
    def few(self) -> np.ndarray:
        """Too few distinct values to tell anything."""
        return np.minimum(self.asked, self.distinct) <= FEW

    @cached_property
    def stray(self) -> np.ndarray:
        """Hardly any value is shared."""
        return self.overlap < STRAY * np.minimum(self.asked, self.distinct)

    @cached_property
    def tells(self) -> np.ndarray:
        """Whether the values alone show that both columns speak of the same things: half of one's are the other's. Of
        numbers, which are measured everywhere, nearly all of one's, and half of both together, unless the names agree
        or nearly all of the query's are there, and whole. Of texts that tell rows apart less is enough."""
        named = (self.agreement >= NAMED) & ~(self.time + self.measure > 0)
        union, smaller = self.asked + self.distinct - self.overlap, np.minimum(self.asked, self.distinct)
        most = np.where(self.numeric & ~named, union, smaller)
        held = (self.overlap >= SHARED * most) | (self.numeric & ~self.decimal & (self.contained >= MOSTLY))
        held &= ~self.numeric | (self.overlap >= MOSTLY * smaller)
        texts_of_a_key = self.unique & ~self.numeric & (self.contained >= SHARED)
        more = self.chance < SHARED * self.contained  # of many values little more than by chance is sure, and no more
        return (self.bits >= np.where(texts_of_a_key, OF_A_KEY, TELLING)) & ~self.few & held & more

    @cached_property
    def whole(self) -> np.ndarray:
        """Whether they show it of nearly all of the query's values, whatever the column is to its table."""
        return self.tells & (self.bits >= TELLING) & (self.contained >= MOSTLY)

    @cached_property
    def by_values(self) -> np.ndarray:
        """The probability of a join that the values alone give: lists of one thing are joined though neither refers to
        the other, and all of its copies are as likely, so they are no rivals."""
        return np.where(self.whole, WHOLLY, np.where(self.tells, PARTLY, 0.0))

    @cached_property
    def parts(self) -> dict[str, np.ndarray]:
        """Log-odds by the names of `WEIGHTS`."""
        named = self.agreement >= NAMED
        measured = {
            "unique": self.unique,
            "key": self.key,
            "first": self.first,
            "contained": np.minimum(self.contained, 1.0),
            "mostly": self.contained >= MOSTLY,
            "whole": self.contained >= 0.999,
            "told": self.told,
            "chance": (1 - self.told) * ~(named | (self.about >= 0.5)),
            "agreement": self.agreement,
            "named": self.key * named,
            "about": self.about,
            "together": self.place * self.cohesion,
            "beside": self.place * (1 - self.cohesion),
            "elsewhere": self.elsewhere,
            "repeats": np.minimum(self.repeats, 6.0),
            "own": self.own * ~named,
            "time": self.time,
            "measure": self.measure,
            "columns": np.log(self.columns),
        }
        return {name: WEIGHTS[name] * value for name, value in measured.items()}

    @cached_property
    def odds(self) -> np.ndarray:
        """Log-odds that the query refers to each column, rivals aside."""
        return np.asarray(PRIOR + sum(self.parts.values()))


def beyond_chance(contained: ArrayLike, chance: ArrayLike, distinct: ArrayLike) -> np.ndarray:
    """Bits against chance: the number of values times KL(contained | chance), at most `EACH` a value; 0 where chance
    would meet as many."""
    contained, chance = np.clip(contained, 0.0, 1.0), np.clip(chance, 1e-12, 1.0)
    distinct = np.asarray(distinct)
    with np.errstate(divide="ignore", invalid="ignore"):
        held = np.where(contained > 0, contained * np.minimum(np.log2(contained / chance), EACH), 0.0)
        lacking = np.where(
            contained < 1,
            (1 - contained) * np.minimum(np.log2((1 - contained) / np.maximum(1 - chance, 1e-12)), EACH),
            0,
        )
    return np.where(contained > chance, np.maximum((held + lacking) * distinct, 0.0), 0.0)


def told(bits: ArrayLike) -> np.ndarray:
    """How far bits against chance rule it out, 0 to 1."""
    return np.asarray(1 - 2 ** (-np.maximum(bits, 0.0) / LIKELY))


def probability(odds: np.ndarray) -> np.ndarray:
    """That of each by itself, from log-odds."""
    return 1 / (1 + np.exp(-np.clip(odds, -60, 60)))


def among_rivals(odds: np.ndarray, starts: np.ndarray | None = None) -> np.ndarray:
    """The probability that the query refers to each of the columns, and to one of them at the most. starts: of several
    queries, where the columns of each begin."""
    if not len(odds):
        return np.zeros(0)
    starts = np.zeros(1, np.int64) if starts is None else starts
    of = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(odds))))
    most = np.maximum(np.maximum.reduceat(odds, starts), 0.0)
    each = np.exp(odds - most[of])
    return np.asarray(each / (np.add.reduceat(each, starts) + np.exp(-most))[of])
