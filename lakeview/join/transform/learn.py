"""Learning one program from a few examples (Algorithm 4): greedy by progress, with backtracking."""

from __future__ import annotations

from collections.abc import Sequence

from lakeview.join.transform.columns import Row
from lakeview.join.transform.enumerate_operators import MAX_CELL, Texts, operators, reach, simplest
from lakeview.join.transform.operators import Constant, Operator

MAX_OPERATORS = 12  # the paper's tau; 10 did for all of its cases
BRANCHES = 5  # operators tried at one place before giving up on it
BUDGET = 150  # places looked at for one example set


def try_learn(
    rows: Sequence[Row], outputs: Sequence[str], columns: Sequence[int], begin: str = ""
) -> list[list[Operator]] | None:
    """A program that makes each output of its row, or None.

    It comes as a list of places, each with the operators that do equally well on these examples, simplest first.
    begin: digits that all keys begin with, such as the code of a country; a program may write them."""
    found = _learn(rows, tuple(outputs), columns)
    if found is None and begin:
        found = _learn(rows, tuple(output[len(begin) :] for output in outputs), columns)
        found = found and [[Constant(begin)], *found]
    return found


def _learn(rows: Sequence[Row], outputs: Texts, columns: Sequence[int]) -> list[list[Operator]] | None:
    if any(len(output) > MAX_CELL for output in outputs):
        return None
    choices = operators(rows, outputs, columns)
    ranked = sorted(choices.items(), key=lambda item: (-sum(map(len, item[0])), item[1][0].cost))
    solution = _Search(ranked).solve(outputs, MAX_OPERATORS)
    if solution is None or _half_words(solution, rows):
        return None
    return [simplest(variants) for variants in solution]


def _half_words(solution: list[list[Operator]], rows: Sequence[Row]) -> bool:
    """Whether a constant is part of a number or word that another operator goes on with."""
    for row in rows:
        parts = [variants[0](row) or "" for variants in solution]
        for place in range(len(parts) - 1):
            constant = any(isinstance(solution[i][0], Constant) for i in (place, place + 1))
            if constant and _go_together(parts[place][-1:], parts[place + 1][:1]):
                return True
    return False


class _Search:
    def __init__(self, ranked: list[tuple[Texts, list[Operator]]]) -> None:
        self.ranked = ranked
        self.left = BUDGET
        self.known: dict[Texts, list[list[Operator]] | None] = {}

    def solve(self, outputs: Texts, most: int) -> list[list[Operator]] | None:
        if not any(outputs):
            return []
        if not all(outputs) or most <= 0:
            return None
        if outputs in self.known:
            return self.known[outputs]
        if self.left <= 0:
            return None
        self.left -= 1
        self.known[outputs] = None  # not to be tried again below itself
        solution = None
        for texts, variants in self._steps(outputs):
            for places in _occurrences(texts, outputs):
                left = self.solve(tuple(o[:at] for o, at in zip(outputs, places, strict=True)), most - 1)
                if left is None:
                    continue
                rest = tuple(o[at + len(t) :] for o, t, at in zip(outputs, texts, places, strict=True))
                right = self.solve(rest, most - 1 - len(left))
                if right is not None:
                    solution = [*left, variants, *right]
                    break
            if solution is not None:
                break
        self.known[outputs] = solution
        return solution

    def _steps(self, outputs: Texts) -> list[tuple[Texts, list[Operator]]]:
        """The operators with the most progress, a constant among them; in doubt not the constant."""
        steps = []
        for texts, variants in self.ranked:
            if all(text in output for text, output in zip(texts, outputs, strict=True)):
                steps.append((texts, variants))
                if len(steps) == BRANCHES:
                    break
        constant = _whole_words(_common_substring(outputs), outputs)
        if constant:
            texts = (constant,) * len(outputs)
            step: tuple[Texts, list[Operator]] = (texts, [Constant(constant)])
            progress = sum(map(len, texts))
            place = next((i for i, (t, _) in enumerate(steps) if sum(map(len, t)) < progress), len(steps))
            if all(output == constant for output in outputs) and not any(c.isalnum() for c in constant):
                place = 0  # what stands between pieces is a constant, though a piece may happen to hold it too
            steps.insert(place, step)
        return steps


def _occurrences(texts: Texts, outputs: Texts) -> list[tuple[int, ...]]:
    """Where the texts can be cut out of the outputs: at their first places, or at their last."""
    first = tuple(output.find(text) for text, output in zip(texts, outputs, strict=True))
    last = tuple(output.rfind(text) for text, output in zip(texts, outputs, strict=True))
    return [first] if first == last else [first, last]


def _common_substring(texts: Texts) -> str:
    """The longest text that is in all of them (the first of its length)."""
    shortest = min(texts, key=len)
    reaches = [reach(shortest, text) for text in texts]
    lengths = [min(here) for here in zip(*reaches, strict=True)]
    length = max(lengths)
    start = lengths.index(length)
    return shortest[start : start + length]


def _whole_words(constant: str, outputs: Texts) -> str:
    """The constant without a number or word at its ends that goes on outside of it: programs write no half words."""
    for output in outputs:
        at = output.find(constant)
        before, after = output[:at][-1:], output[at + len(constant) :][:1]
        while constant and before and _go_together(before, constant[0]):
            before, constant = constant[0], constant[1:]
        while constant and after and _go_together(constant[-1], after):
            after, constant = constant[-1], constant[:-1]
    return constant


def _go_together(a: str, b: str) -> bool:
    return (a.isdigit() and b.isdigit()) or (a.isalpha() and b.isalpha())
