"""What differs in the code of a fuzzy join that keeps all pairs: a text has many partners, and a left row many rows."""

from __future__ import annotations

from lakeview.join.export.draft import Names
from lakeview.join.fuzzy.model import FuzzyJoin
from lakeview.join.naming import literal

MATCHES = '    """The reference texts that this one joins and how similar they are, the most similar first."""'

JUDGED = [
    "def judged(text, texts, *known):",
    '    """`match`, but for what was said of single pairs."""',
    "    more = [accepted[text]] if text in accepted and accepted[text][0] in texts else []",
    "    said = [other for other, _ in more] + [other for mine, other in rejected if mine == text]",
    "    pairs = [pair for pair in match(text, texts, *known) if pair[0] not in said] + more",
    "    return sorted(pairs, key=lambda pair: (-pair[1], texts.index(pair[0])))",
    "",
]


def kept(least: float, numbers: bool) -> list[str]:
    """The end of `match`: all at or above the threshold."""
    agree = " and agree(text, texts[place])" if numbers else ""
    return [
        f"        if similarity >= {literal(least)}{agree}:",
        "            alike.append((-similarity, place))",
        "    return [(texts[place], -value) for value, place in sorted(alike)]",
        "",
    ]


def pandas(join: FuzzyJoin, names: Names, key: str, reference_rows: str) -> list[str]:
    """The rows, once each left key has `found` its partners."""
    left, result, value = names.left, names.result, literal(join.similarity_column)
    none = "[(None, None)]" if join.how == "left" else "()"
    return [
        f"pairs = [(row, *pair) for row, key in enumerate(left_keys) for pair in found.get(key) or {none}]",
        f"{result} = {left}.iloc[[row for row, _, _ in pairs]].reset_index(drop=True)",
        f"{result}[{literal(key)}] = pd.Series([text for _, text, _ in pairs], dtype=object)",
        f"{result}[{value}] = pd.Series([similarity for *_, similarity in pairs], dtype=float)",
        reference_rows,
        f'{result} = {result}.merge(reference_rows, how="left", on={literal(key)}).drop(columns={literal(key)})',
        f"{result}[{value}] = {result}.pop({value})",
    ]


def pyspark(
    join: FuzzyJoin, names: Names, on: str, right_on: str, key: str, partner: str, place: str, partner_of: str
) -> list[str]:
    """The left rows, one for each partner. on, right_on: the names of both keys, as literals. partner_of: the code of
    the function that finds them."""
    left, right, result = names.left, names.right, names.result
    explode = "explode_outer" if join.how == "left" else "explode"
    return [
        f'reference_rows = {right}.withColumn("{key}", as_key({right}[{right_on}])).where("{key} is not null")',
        f'texts = reference_rows.withColumn("{place}", F.monotonically_increasing_id()).groupBy("{key}")',
        f'texts = texts.agg(F.min("{place}").alias("{place}")).orderBy("{place}").select("{key}")',
        "texts = [row[0] for row in texts.collect()]",
        "known = reference(texts)",
        f'partners = F.udf({partner_of}, "array<struct<text string, similarity double>>")',
        f'{result} = {left}.withColumn("{partner}", F.{explode}(partners({left}[{on}])))',
    ]
