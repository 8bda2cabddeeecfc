"""A fuzzy join as plain pandas or PySpark code: set arithmetic on an inverted list, or rapidfuzz for edit distances."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from lakeview.errors import InputError
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.tokens import tokeniser
from lakeview.join.export.common import helper
from lakeview.join.export.draft import Names, in_pandas, in_spark
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import quoted
from lakeview.join.fuzzy import canonical_code, every_pair_code
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.explain import reason
from lakeview.join.fuzzy.figures import NUMBER
from lakeview.join.fuzzy.model import FuzzyJoin
from lakeview.join.naming import literal
from lakeview.join.side import Side

if TYPE_CHECKING:
    import pandas as pd

_SIMILARITY = {
    "jaccard": "shared / (len(mine) + len(other) - shared)",
    "dice": "2 * shared / (len(mine) + len(other))",
    "cosine": "shared / (len(mine) * len(other)) ** 0.5",
    "containment": "shared / len(mine)",
    "inclusion": "shared / min(len(mine), len(other))",
    "overlap": "float(shared)",
}


def write(join: FuzzyJoin, dialect: str) -> str:
    """The code in "pandas" or "pyspark". Raises InputError where the plan joins nothing, or a side lies in Spark."""
    if join.threshold is None:
        raise InputError(f"this plan joins nothing, so there is no code: {reason(join)}")
    if dialect == "pandas" and join.in_spark:
        raise InputError("a side is a Spark frame: ask for the 'pyspark' code")
    is_edit = join.configuration.measure in EDITS
    names, bound = in_spark(join, (False, False)) if dialect == "pyspark" else in_pandas(join)
    sides = ((join.left, join.left_on, names.left), (join.right, join.right_on, names.right))
    columns = [_distinct(side, on[0]) if side.kind == "spark" else side.key_series(on[0]) for side, on, _ in sides]
    reading = [line for side, on, name in sides if side.kind == "lake" for line in read_lines(side, on, name)]
    canonical = canonical_code.function(columns, join.normalize)
    matching = [*canonical, "", *(_edit_match(join) if is_edit else _set_match(join))]
    if len(join.judgements):
        matching += _judge(join)
    body = _pandas(join, names, matching) if dialect == "pandas" else _pyspark(join, names, matching)
    lines = [*reading, *bound, *body]
    text = "\n".join(lines)
    head = [f"import {name}" for name in ("re", "unicodedata") if f"{name}." in text]
    if "defaultdict(" in text:
        head.append("from collections import Counter, defaultdict")
    head.append("")
    if "pd." in text or dialect == "pandas":
        head.append("import pandas as pd")
    if dialect == "pyspark":
        head.append("from pyspark.sql import Window")
        head.append("from pyspark.sql import functions as F")
    if is_edit:
        head.append("from rapidfuzz.distance import JaroWinkler, Levenshtein")
    return "\n".join([*head, "", *lines]) + "\n"


def _distinct(side: Side, on: Hashable) -> pd.Series:
    """The distinct values of a Spark frame's key column."""
    return side.counted(on).to_pandas().iloc[:, 0]


def _tokens(join: FuzzyJoin) -> list[str]:
    kind = tokeniser(join.configuration.tokeniser)
    parts = []
    lines = ["def tokens(text):"]
    if kind.q:
        lines.append(f'    padded = "{"#" * (kind.q - 1)}" + text + "{"$" * (kind.q - 1)}"')
        parts.append(f"{{padded[i:i + {kind.q}] for i in range(len(padded) - {kind.q - 1})}}")
    if kind.words:
        word = "(word,)" if kind.q else "word"  # a word is another token than the same three characters
        parts.append(f'{{{word} for word in re.findall(r"[^\\W_]+", text)}}')
    return [*lines, f"    return {' | '.join(parts)}", ""]


def _set_match(join: FuzzyJoin) -> list[str]:
    how = join.configuration
    largest = join.matched.tokens.largest
    floor, least = (bound(how.measure, value, largest).cut for value in (how.floor, how.threshold))
    return [
        *_tokens(join),
        *(_AGREE if _counts(join) else []),
        "def reference(texts):",
        '    """The sets of the reference texts, and which of them hold a token."""',
        "    sets = [tokens(text) for text in texts]",
        "    holders = defaultdict(list)",
        "    for place, other in enumerate(sets):",
        "        for token in other:",
        "            holders[token].append(place)",
        "    return sets, holders",
        "",
        "def match(text, texts, sets, holders):",
        _matches(join),
        "    mine = tokens(text) if text else set()",
        "    alike = []",
        "    for place, shared in Counter(p for token in mine for p in holders.get(token, ())).items():",
        "        other = sets[place]",
        f"        similarity = {_SIMILARITY[how.measure]}",
        *_choose(join, "texts[place]", floor, least, _counts(join)),
    ]


def _counts(join: FuzzyJoin) -> bool:
    """Whether numbers that contradict each other part texts."""
    there = pc.any(pc.match_substring_regex(join.matched.right.text, "[0-9]")).as_py()
    return join.configuration.numbers and bool(there)


_AGREE = [
    "def numbers(text):",
    f"    found = re.findall({literal(NUMBER)}, text)",
    '    return {number.replace(",", "").lstrip("0") for number in found}',
    "",
    "def agree(text, other):",
    '    """Whether one has all numbers of the other: 4th Street is not 5th Street."""',
    "    return numbers(text) <= numbers(other) or numbers(other) <= numbers(text)",
    "",
]


def _edit_match(join: FuzzyJoin) -> list[str]:
    how = join.configuration
    if how.measure == "edit":
        longest = "max(len(text), len(other))"
        similarity = f"({longest} - Levenshtein.distance(text, other)) / {longest}"
    else:
        similarity = "JaroWinkler.similarity(text, other)"
    return [
        "def reference(texts):",
        "    return ()",
        "",
        "def match(text, texts):",
        _matches(join),
        "    alike = []",
        "    for place, other in enumerate(texts if text else ()):",
        f"        similarity = {similarity}",
        *_choose(join, "other", how.floor * (1 - 1e-15), how.threshold * (1 - 1e-15)),
    ]


def _matches(join: FuzzyJoin) -> str:
    if join.cardinality == "N:M":
        return every_pair_code.MATCHES
    return '    """The reference text that this one joins, and how similar they are."""'


def _choose(join: FuzzyJoin, other: str, floor: float, least: float, numbers: bool = False) -> list[str]:
    """What is kept of all that are alike. other: the code of the other text."""
    if join.cardinality == "N:M":
        return every_pair_code.kept(least, numbers)
    lead = join.configuration.lead
    lines = [
        f"        if similarity >= {literal(floor)}:",
        f"            alike.append((-similarity, {other} != text, place))",
        "    alike.sort()",
        f"    if not alike or -alike[0][0] < {literal(least)}:",
        "        return None, None",
    ]
    if lead:
        lines += [
            "    runner_up = -alike[1][0] if len(alike) > 1 else 0.0",
            f"    if alike[0][1] and -alike[0][0] - runner_up < {literal(lead - 1e-9)}:  # the same text needs no lead",
            "        return None, None",
        ]
    if numbers:
        lines += ["    if not agree(text, texts[alike[0][2]]):", "        return None, None"]
    return [*lines, "    return texts[alike[0][2]], -alike[0][0]", ""]


def _matcher(join: FuzzyJoin) -> str:
    return "judged" if len(join.judgements) else "match"


def _judge(join: FuzzyJoin) -> list[str]:
    said = join.judgements
    lines = [
        "# pairs that were found right or wrong by hand",
        "accepted = {" + ", ".join(f"{literal(a)}: {literal((b, value))}" for a, b, value in said.accepted) + "}",
        "rejected = [" + ", ".join(map(literal, said.rejected)) + "]",
        "",
    ]
    if join.cardinality == "N:M":
        return [*lines, *every_pair_code.JUDGED]
    return [
        *lines,
        "def judged(text, texts, *known):",
        '    """`match`, but for what was said of single pairs."""',
        "    pair = accepted.get(text) or match(text, texts, *known)",
        "    return (None, None) if (text, pair[0]) in rejected else pair",
        "",
    ]


def _pandas(join: FuzzyJoin, names: Names, matching: list[str]) -> list[str]:
    left, right, result = names.left, names.right, names.result
    value = join.similarity_column
    key = helper(join, "key")
    renamed = join.columns.renamed
    rename = f".rename(columns={literal(renamed)})" if renamed else ""
    # merge() would let missing keys meet each other.
    reference_rows = f"reference_rows = {right}{rename}.assign({key}=right_keys).dropna(subset=[{literal(key)}])"
    lines = [
        *matching,
        f"left_keys = [canonical(value) for value in {left}[{literal(join.left_on[0])}].tolist()]",
        f"right_keys = [canonical(value) for value in {right}[{literal(join.right_on[0])}].tolist()]",
        "texts = list(dict.fromkeys(key for key in right_keys if key))",
        "known = reference(texts)",
        f"found = {{key: {_matcher(join)}(key, texts, *known) for key in set(left_keys) if key}}",
    ]
    if join.cardinality == "N:M":
        return [*lines, *every_pair_code.pandas(join, names, key, reference_rows)]
    lines += [
        f"{result} = {left}.reset_index(drop=True)",
        "matches = [found.get(key, (None, None)) for key in left_keys]",
        "partner = pd.Series([text for text, _ in matches], dtype=object)",
        "similarity = pd.Series([value for _, value in matches], dtype=float)",
    ]
    if join.cardinality == "1:1":
        by_hand = join.judgements.accepted
        accepted = '"accepted": [key in accepted for key in left_keys], ' if by_hand else ""
        columns = '["accepted", "similarity"]' if by_hand else '"similarity"'
        lines += [
            f"# a reference row keeps {'an accepted left row, else ' if by_hand else ''}the most similar left row",
            f'rows = pd.DataFrame({{{accepted}"similarity": similarity}})',
            f'order = rows.sort_values({columns}, ascending=False, kind="stable").index',
            "kept = ~partner[order].duplicated().reindex(partner.index)",
            "partner, similarity = partner.where(kept), similarity.where(kept)",
        ]
    lines += [
        f"{reference_rows}.drop_duplicates({literal(key)})",
        f"{result} = {result}.assign({key}=partner).merge(",
        f"    reference_rows, how={literal(join.how)}, on={literal(key)}",
        f").drop(columns={literal(key)})",
        f"{result}[{literal(value)}] = similarity"
        if join.how == "left"
        else f"{result}[{literal(value)}] = similarity[partner.notna()].to_numpy()",
    ]
    return lines


def _pyspark(join: FuzzyJoin, names: Names, matching: list[str]) -> list[str]:
    left, right, result = names.left, names.right, names.result
    key, partner, place, nth, accepted = (
        helper(join, f"lakeview_{n}") for n in ("key", "partner", "place", "nth", "accepted")
    )
    on, right_on = (literal(quoted(name) if "." in str(name) else str(name)) for name in join.left_on + join.right_on)
    as_key = 'as_key = F.udf(canonical, "string")'
    partner_of = f"lambda value: {_matcher(join)}(canonical(value), texts, *known)"
    if join.cardinality == "N:M":
        lines = [
            *matching,
            as_key,
            *every_pair_code.pyspark(join, names, on, right_on, key, partner, place, partner_of),
        ]
        return [*lines, *_met(join, names, key, partner)]
    lines = [
        *matching,
        as_key,
        "# of rows with the same text, and of equally similar ones, the first counts",
        f'reference_rows = {right}.withColumn("{key}", as_key({right}[{right_on}])).withColumn(',
        f'    "{place}", F.monotonically_increasing_id()',
        ")",
        f'nth = F.row_number().over(Window.partitionBy("{key}").orderBy("{place}"))',
        f'reference_rows = reference_rows.where("{key} is not null").withColumn("{nth}", nth).where("{nth} = 1")',
        f'texts = [row[0] for row in reference_rows.orderBy("{place}").select("{key}").collect()]',
        f'reference_rows = reference_rows.drop("{place}", "{nth}")',
        "known = reference(texts)",
        f'partner = F.udf({partner_of}, "text string, similarity double")',
        f'{result} = {left}.withColumn("{partner}", partner({left}[{on}]))',
    ]
    if join.cardinality == "1:1":
        by_hand = join.judgements.accepted
        if by_hand:
            is_accepted = 'F.udf(lambda value: canonical(value) in accepted, "boolean")'
            lines.append(f"{result} = {result}.withColumn({literal(accepted)}, {is_accepted}({left}[{on}]))")
        order = f"F.desc({literal(accepted)}), " if by_hand else ""
        lines += [
            f"# a reference row keeps {'an accepted left row, else ' if by_hand else ''}the most similar left row",
            f"{result} = {result}.withColumn({literal(place)}, F.monotonically_increasing_id())",
            f'window = Window.partitionBy("{partner}.text").orderBy({order}F.desc("{partner}.similarity"), "{place}")',
            f'{result} = {result}.withColumn("{nth}", F.row_number().over(window)).withColumn(',
            f'    "{partner}", F.when(F.col("{nth}") == 1, F.col("{partner}"))',
            f').drop("{place}", "{nth}", "{accepted}")',
        ]
    return [*lines, *_met(join, names, key, partner)]


def _met(join: FuzzyJoin, names: Names, key: str, partner: str) -> list[str]:
    """The left rows beside those of the reference that have their partner's text."""
    result, value = names.result, join.similarity_column
    return [
        *(
            f"reference_rows = reference_rows.withColumnRenamed({literal(str(column))}, {literal(str(name))})"
            for column, name in join.columns.renamed.items()
        ),
        f"{result} = {result}.join(",
        f'    reference_rows, {result}["{partner}.text"] == reference_rows[{literal(key)}], {literal(join.how)}',
        f').withColumn({literal(value)}, F.col("{partner}.similarity")).drop("{partner}", {literal(key)})',
    ]
