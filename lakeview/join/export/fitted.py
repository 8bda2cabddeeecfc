"""Exported Python code beside the analyst's variables: a draft is written as if there were none, and then fitted.

In a draft the variables of tables end in MARK, so that nothing else in it has the name of one: her frame may be called
`reference`, `len` or `pd`. Fitting takes the marks off and gives other names to what would bind over something that she
has, or that a variable of hers hides.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import symtable
import sys
import tokenize
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lakeview.join.naming import free

MARK = "\ua78f"
"""A letter that no name has which the code itself gives."""
SESSION = "spark"


def marked(name: str) -> str:
    """The variable of a table in a draft."""
    return name + MARK


def bare(variable: str) -> str:
    """A variable of a draft without its mark."""
    return variable.removesuffix(MARK)


def fitted(draft: str, frames: Collection[str], held: Mapping[str, Any]) -> str:
    """The code of a draft.

    frames: the variables in it that are the analyst's frames; what else is marked, it binds. held: what she has, by
    name; the code binds none of these but to the very module or function that it is.
    """
    tree, (bound, used) = ast.parse(draft), _globals(draft)
    things = dict(_imported(tree)) | {name: getattr(builtins, name) for name in used - bound if hasattr(builtins, name)}
    names = dict.fromkeys(token.string for token in _names(draft))  # in the order of the code
    new = {variable: bare(variable) for variable in frames}
    # A table keeps its own name where she has nothing so called: what helps to make it gives way.
    for variable in (name for name in names if name.endswith(MARK) and name not in new):
        new[variable] = free(bare(variable), {*held, *new.values()})
    taken = {*held, *names, *dir(builtins), *new.values()}
    tables, head = set(new.values()), []
    for name in names:
        if name not in tables and not (name in (bound | used) and _differs(name, things, held)):
            continue
        new[name] = free(name, taken)
        taken.add(new[name])
        if name in used - bound and name == SESSION:
            session = free("SparkSession", taken)
            head.append(f"from pyspark.sql import SparkSession{'' if session == 'SparkSession' else f' as {session}'}")
            head.append(f"{new[name]} = {session}.active()")
        elif name in used - bound:
            head.append(f"from builtins import {name} as {new[name]}")
    if not new:
        return draft
    lines = _renamed(draft, tree, new).splitlines(keepends=True)
    start = next((place for place, line in enumerate(lines) if not line.startswith("#")), 0)
    return "".join([*lines[:start], *(f"{line}\n" for line in head), *lines[start:]])


def _differs(name: str, things: Mapping[str, Any], held: Mapping[str, Any]) -> bool:
    """Whether she has something else by the name of a variable, a module or a function of the code."""
    if name not in held:
        return False
    if name == SESSION:
        return not hasattr(held[name], "createDataFrame")
    return name not in things or held[name] is not things[name]


def _globals(draft: str) -> tuple[set[str], set[str]]:
    """The names that the code binds outside its functions, and those that it looks up there."""
    whole = symtable.symtable(draft, "draft", "exec")
    bound = {s.get_name() for s in whole.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    used = {s.get_name() for s in whole.get_symbols() if s.is_referenced()}

    def inside(table: symtable.SymbolTable) -> Iterator[str]:
        for child in table.get_children():
            yield from (s.get_name() for s in child.get_symbols() if s.is_global())
            yield from inside(child)

    return bound, used | set(inside(whole))


def _imported(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """What the imports of the code bind, by name: the module or what is in it; None where that is not loaded."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name, sys.modules.get(alias.name)) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = sys.modules.get(str(node.module))
            yield from ((alias.asname or alias.name, getattr(module, alias.name, None)) for alias in node.names)


def _names(draft: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a draft that are variables, the words of its imports among them: no keywords, no attributes, and
    no names of arguments in a call."""
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(draft).readline) if token.type != tokenize.NL]
    depth = 0
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        if token.type != tokenize.NAME or keyword.iskeyword(token.string):
            continue
        is_attribute = before is not None and before.string == "."
        is_argument = depth and before is not None and before.string in ("(", ",") and after and after.string == "="
        if not is_attribute and not is_argument:
            yield token


def renamed(draft: str, new: Mapping[str, str]) -> str:
    """The draft with other names for some of its variables."""
    return _renamed(draft, ast.parse(draft), new) if new else draft


def imports_first(code: str) -> str:
    """The code with its imports at the top, each once."""
    lines = code.splitlines()
    imports = dict.fromkeys(line for line in lines if line.startswith(("import ", "from ")))
    return "\n".join([*imports, *(line for line in lines if line not in imports)]) + "\n"


def _renamed(draft: str, tree: ast.Module, new: Mapping[str, str]) -> str:
    """The code with other names for some variables."""
    lines = draft.splitlines(keepends=True)
    imports = {node.lineno: node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    for token in reversed(list(_names(draft))):
        (row, start), (_, stop) = token.start, token.end
        if row not in imports and token.string in new:
            line = lines[row - 1]
            lines[row - 1] = line[:start] + new[token.string] + line[stop:]
    for row, node in imports.items():
        if any((alias.asname or alias.name) in new for alias in node.names):
            for alias in node.names:
                alias.asname = new.get(alias.asname or alias.name, alias.asname)
            lines[row - 1] = ast.unparse(node) + "\n"
    return "".join(lines)
