"""A fuzzy join as plain pandas or PySpark code: set arithmetic on an inverted list, or rapidfuzz for edit distances."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from lakeview.errors import InputError
from lakeview.estimate.similarity.measures import bound
from lakeview.estimate.similarity.tokens import tokeniser
from lakeview.join.export.common import helper
from lakeview.join.export.draft import Names, finished, in_pandas, in_spark
from lakeview.join.export.pandas_read import read_lines
from lakeview.join.export.spark_read import quoted
from lakeview.join.fuzzy import canonical_code
from lakeview.join.fuzzy.edit import EDITS
from lakeview.join.fuzzy.explain import reason
from lakeview.join.naming import comment, literal

if TYPE_CHECKING:
    import pandas as pd

    from lakeview.join.fuzzy.plan import FuzzyPlan
    from lakeview.join.side import Side

_SIMILARITY = {
    "jaccard": "shared / (len(mine) + len(other) - shared)",
    "dice": "2 * shared / (len(mine) + len(other))",
    "cosine": "shared / (len(mine) * len(other)) ** 0.5",
    "containment": "shared / len(mine)",
    "inclusion": "shared / min(len(mine), len(other))",
    "overlap": "float(shared)",
}


def code(plan: FuzzyPlan, dialect: str) -> str:
    """See FuzzyPlan.code."""
    if plan.threshold is None:
        raise InputError(f"this plan joins nothing, so there is no code: {reason(plan)}")
    if dialect == "pandas" and plan.dialect == "pyspark":
        raise InputError("a side is a Spark frame: ask for the 'pyspark' code")
    names, bound = in_spark(plan, (False, False)) if dialect == "pyspark" else in_pandas(plan)
    sides = ((plan.left, plan.left_on, names.left), (plan.right, plan.right_on, names.right))
    columns = [_distinct(side, on) if side.kind == "spark" else side.key_series(on) for side, on, _ in sides]
    reading = [line for side, on, name in sides if side.kind == "lake" for line in read_lines(side, on, name)]
    canonical = canonical_code.function(columns, plan.normalize)
    matching = [*canonical, "", *(_edit_match(plan) if plan.measure in EDITS else _set_match(plan))]
    if len(plan.judgements):
        matching += _judge(plan)
    body = _pandas(plan, names, matching) if dialect == "pandas" else _pyspark(plan, names, matching)
    lines = [*reading, *bound, *body]
    text = "\n".join(lines)
    head = [comment(f"lakeview: {plan.summary}; {reason(plan)}")]
    head += [f"import {name}" for name in ("re", "unicodedata") if f"{name}." in text]
    if "defaultdict(" in text:
        head.append("from collections import Counter, defaultdict")
    head.append("")
    if "pd." in text or dialect == "pandas":
        head.append("import pandas as pd")
    if dialect == "pyspark":
        head.append("from pyspark.sql import Window")
        head.append("from pyspark.sql import functions as F")
    if plan.measure in EDITS:
        head.append("from rapidfuzz.distance import JaroWinkler, Levenshtein")
    return finished(plan, dialect, "\n".join([*head, "", *lines]) + "\n")


def _distinct(side: Side, on: Hashable) -> pd.Series:
    """The distinct values of a Spark frame's key column."""
    return side.counted(on).to_pandas().iloc[:, 0]


def _tokens(plan: FuzzyPlan) -> list[str]:
    kind = tokeniser(plan.tokeniser)
    parts = []
    lines = ["def tokens(text):"]
    if kind.q:
        lines.append(f'    padded = "{"#" * (kind.q - 1)}" + text + "{"$" * (kind.q - 1)}"')
        parts.append(f"{{padded[i:i + {kind.q}] for i in range(len(padded) - {kind.q - 1})}}")
    if kind.words:
        word = "(word,)" if kind.q else "word"  # a word is another token than the same three characters
        parts.append(f'{{{word} for word in re.findall(r"[^\\W_]+", text)}}')
    return [*lines, f"    return {' | '.join(parts)}", ""]


def _set_match(plan: FuzzyPlan) -> list[str]:
    how = plan.configuration
    largest = plan.matched.tokens.largest
    floor, least = (bound(how.measure, value, largest).cut for value in (how.floor, how.threshold))
    return [
        *_tokens(plan),
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
        '    """The reference text that this one joins, and how similar they are."""',
        "    mine = tokens(text) if text else set()",
        "    alike = []",
        "    for place, shared in Counter(p for token in mine for p in holders.get(token, ())).items():",
        "        other = sets[place]",
        f"        similarity = {_SIMILARITY[how.measure]}",
        f"        if similarity >= {literal(floor)}:",
        "            alike.append((-similarity, texts[place] != text, place))",
        *_choose(how.lead, least),
    ]


def _edit_match(plan: FuzzyPlan) -> list[str]:
    how = plan.configuration
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
        '    """The reference text that this one joins, and how similar they are."""',
        "    alike = []",
        "    for place, other in enumerate(texts if text else ()):",
        f"        similarity = {similarity}",
        f"        if similarity >= {literal(how.floor * (1 - 1e-15))}:",
        "            alike.append((-similarity, other != text, place))",
        *_choose(how.lead, how.threshold * (1 - 1e-15)),
    ]


def _choose(lead: float, least: float) -> list[str]:
    lines = [
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
    return [*lines, "    return texts[alike[0][2]], -alike[0][0]", ""]


def _matcher(plan: FuzzyPlan) -> str:
    return "judged" if len(plan.judgements) else "match"


def _judge(plan: FuzzyPlan) -> list[str]:
    said = plan.judgements
    return [
        "# pairs that were found right or wrong by hand",
        "accepted = {" + ", ".join(f"{literal(a)}: {literal((b, value))}" for a, b, value in said.accepted) + "}",
        "rejected = [" + ", ".join(map(literal, said.rejected)) + "]",
        "",
        "def judged(text, texts, *known):",
        '    """`match`, but for what was said of single pairs."""',
        "    pair = accepted.get(text) or match(text, texts, *known)",
        "    return (None, None) if (text, pair[0]) in rejected else pair",
        "",
    ]


def _pandas(plan: FuzzyPlan, names: Names, matching: list[str]) -> list[str]:
    left, right, result = names.left, names.right, names.result
    value = plan.similarity_column
    key = helper(plan, "key")
    renamed = plan.columns.renamed
    rename = f".rename(columns={literal(renamed)})" if renamed else ""
    lines = [
        *matching,
        f"left_keys = [canonical(value) for value in {left}[{literal(plan.left_on)}].tolist()]",
        f"right_keys = [canonical(value) for value in {right}[{literal(plan.right_on)}].tolist()]",
        "texts = list(dict.fromkeys(key for key in right_keys if key))",
        "known = reference(texts)",
        f"found = {{key: {_matcher(plan)}(key, texts, *known) for key in set(left_keys) if key}}",
        f"{result} = {left}.reset_index(drop=True)",
        "matches = [found.get(key, (None, None)) for key in left_keys]",
        "partner = pd.Series([text for text, _ in matches], dtype=object)",
        "similarity = pd.Series([value for _, value in matches], dtype=float)",
    ]
    if plan.cardinality == "1:1":
        by_hand = plan.judgements.accepted
        accepted = '"accepted": [key in accepted for key in left_keys], ' if by_hand else ""
        columns = '["accepted", "similarity"]' if by_hand else '"similarity"'
        lines += [
            f"# a reference row keeps {'an accepted left row, else ' if by_hand else ''}the most similar left row",
            f'rows = pd.DataFrame({{{accepted}"similarity": similarity}})',
            f'order = rows.sort_values({columns}, ascending=False, kind="stable").index',
            "kept = ~partner[order].duplicated().reindex(partner.index)",
            "partner, similarity = partner.where(kept), similarity.where(kept)",
        ]
    # merge() would let missing keys meet each other.
    lines += [
        f"reference_rows = {right}{rename}.assign({key}=right_keys).dropna(subset=[{literal(key)}])"
        f".drop_duplicates({literal(key)})",
        f"{result} = {result}.assign({key}=partner).merge(",
        f"    reference_rows, how={literal(plan.how)}, on={literal(key)}",
        f").drop(columns={literal(key)})",
        f"{result}[{literal(value)}] = similarity"
        if plan.how == "left"
        else f"{result}[{literal(value)}] = similarity[partner.notna()].to_numpy()",
    ]
    return lines


def _pyspark(plan: FuzzyPlan, names: Names, matching: list[str]) -> list[str]:
    left, right, result = names.left, names.right, names.result
    value = plan.similarity_column
    key, partner, place, nth, accepted = (
        helper(plan, f"lakeview_{n}") for n in ("key", "partner", "place", "nth", "accepted")
    )
    struct = '"text string, similarity double"'
    on, right_on = (literal(quoted(name) if "." in str(name) else str(name)) for name in (plan.left_on, plan.right_on))
    lines = [
        *matching,
        'as_key = F.udf(canonical, "string")',
        "# of rows with the same text, and of equally similar ones, the first counts",
        f'reference_rows = {right}.withColumn("{key}", as_key({right}[{right_on}])).withColumn(',
        f'    "{place}", F.monotonically_increasing_id()',
        ")",
        f'nth = F.row_number().over(Window.partitionBy("{key}").orderBy("{place}"))',
        f'reference_rows = reference_rows.where("{key} is not null").withColumn("{nth}", nth).where("{nth} = 1")',
        f'texts = [row[0] for row in reference_rows.orderBy("{place}").select("{key}").collect()]',
        f'reference_rows = reference_rows.drop("{place}", "{nth}")',
        "known = reference(texts)",
        f"partner = F.udf(lambda value: {_matcher(plan)}(canonical(value), texts, *known), {struct})",
        f'{result} = {left}.withColumn("{partner}", partner({left}[{on}]))',
    ]
    if plan.cardinality == "1:1":
        by_hand = plan.judgements.accepted
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
    for column, name in plan.columns.renamed.items():
        lines.append(f"reference_rows = reference_rows.withColumnRenamed({literal(str(column))}, {literal(str(name))})")
    lines += [
        f"{result} = {result}.join(",
        f'    reference_rows, {result}["{partner}.text"] == reference_rows[{literal(key)}], {literal(plan.how)}',
        f').withColumn({literal(value)}, F.col("{partner}.similarity")).drop("{partner}", {literal(key)})',
    ]
    return lines
