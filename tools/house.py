"""The house rules in figures: measures the package, prints a table, and fails above a limit.

Counts by the syntax tree, not by regular expressions, so a docstring that shows ``print`` is no print. Knows nothing
about style (ruff), types beyond their presence (mypy) or layers (import-linter).
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef

PACKAGE: Final = "cuakit"
CLI: Final = "cuakit/cli"
"""The command line prints: that is its work."""


@dataclass(frozen=True, slots=True)
class Module:
    """One source file, read once."""

    name: str
    path: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """Lines of text."""
        return self.text.count("\n")

    @property
    def functions(self) -> tuple[Function, ...]:
        """Every function and method, nested ones too."""
        return tuple(n for n in ast.walk(self.tree) if isinstance(n, Function))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; ``ok`` is None where the figure is only shown."""

    rule: str
    value: str
    limit: str
    ok: bool | None = None
    where: tuple[str, ...] = ()


def read(root: Path, package: str = PACKAGE) -> tuple[Module, ...]:
    """All modules under ``root/package``, in name order."""
    found = []
    for path in sorted((root / package).rglob("*.py")):
        relative = path.relative_to(root)
        dotted = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        found.append(Module(dotted, relative.as_posix(), text, ast.parse(text)))
    return tuple(found)


def length(node: Definition) -> int:
    """Lines of a function from its first decorator to its last statement, docstring and all."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return (node.end_lineno or node.lineno) - first + 1


def typed(function: Function) -> bool:
    """Whether every argument but ``self`` and ``cls``, and the result, has an annotation."""
    a = function.args
    given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    free = [x.arg for x in given if x.annotation is None and x.arg not in {"self", "cls"}]
    return not free and function.returns is not None


def public(body: Sequence[ast.stmt]) -> Iterator[Definition]:
    """Public classes, functions and methods of a module or class; overload stubs and setters share their first text."""
    for node in body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        marks = {ast.unparse(d).rpartition(".")[2] for d in node.decorator_list}
        if marks & {"overload", "setter", "override"}:
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from public(node.body)


def broad(tree: ast.Module) -> Iterator[int]:
    """Lines of handlers that catch everything and keep it; to clean up and raise again is no such handler."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            last = node.body[-1]
            if isinstance(last, ast.Raise) and last.exc is None:
                continue
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(c is None or ast.unparse(c) in {"Exception", "BaseException"} for c in caught):
                yield node.lineno


def prints(tree: ast.Module) -> Iterator[int]:
    """Lines that call ``print``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield node.lineno


def imports(module: Module, names: frozenset[str]) -> frozenset[str]:
    """Modules of the package that a module imports, also late inside functions; never under ``TYPE_CHECKING``."""
    skipped = {
        id(inner)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in node.body
        for inner in ast.walk(part)
    }
    wanted: set[str] = set()
    for node in ast.walk(module.tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            wanted |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            wanted |= {f"{base}.{a.name}" if f"{base}.{a.name}" in names else base for a in node.names}
    return frozenset(wanted & names) - {module.name}


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    here = parts if module.path.endswith("__init__.py") else parts[:-1]
    kept = here[: len(here) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def cycles(graph: Mapping[str, frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Strongly connected groups of more than one module (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[tuple[str, ...]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph[node]):
            if target not in index:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == index[node]:
            at = stack.index(node)
            group = tuple(sorted(stack[at:]))
            del stack[at:]
            if len(group) > 1:
                found.append(group)

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return tuple(found)


def _p90(values: Sequence[int]) -> int:
    return sorted(values)[max(0, -(-len(values) * 9 // 10) - 1)]


def _share(good: int, total: int) -> str:
    return f"{100 * good / total:.1f} %" if total else "none"


def sizes(modules: Sequence[Module]) -> Iterator[Row]:
    """Module and function sizes."""
    lines = [m.lines for m in modules if m.lines > 1]
    functions = [(length(f), f"{m.path}:{f.lineno} {f.name}") for m in modules for f in m.functions]
    spans = [n for n, _ in functions] or [0]
    yield Row("modules", f"{len(modules)} files, {sum(lines)} lines", "")
    yield Row("module median", f"{statistics.median(lines):.0f}", "≤ 150", statistics.median(lines) <= 150)
    yield Row("module p90", f"{_p90(lines)}", "≤ 350", _p90(lines) <= 350)
    long = tuple(f"{m.path} {m.lines}" for m in modules if m.lines > 500)
    yield Row("module max", f"{max(lines)}", "≤ 500", not long, long)
    yield Row("function median", f"{statistics.median(spans):.0f}", "")
    yield Row("function p90", f"{_p90(spans)}", "≤ 35", _p90(spans) <= 35)
    tall = tuple(f"{where} {n}" for n, where in functions if n > 80)
    yield Row("function max", f"{max(spans)}", "≤ 80", not tall, tall)


def words(modules: Sequence[Module]) -> Iterator[Row]:
    """Types, docstrings, broad excepts and prints."""
    bare = tuple(f"{m.path}:{f.lineno} {f.name}" for m in modules for f in m.functions if not typed(f))
    total = sum(len(m.functions) for m in modules)
    yield Row("functions typed", _share(total - len(bare), total), "100 %", not bare, bare)
    named = [(m, d) for m in modules for d in public(m.tree.body)]
    mute = tuple(f"{m.path}:{d.lineno} {d.name}" for m, d in named if not _documented(d))
    silent = tuple(m.path for m in modules if m.lines > 1 and not ast.get_docstring(m.tree))
    share = _share(len(named) - len(mute), len(named))
    yield Row("public documented", share, "100 %", not mute and not silent, mute + silent)
    caught = [(m, n) for m in modules for n in broad(m.tree)]
    unsaid = tuple(f"{m.path}:{n}" for m, n in caught if not _reason(m, n))
    yield Row("broad excepts", f"{len(caught)}", "each with its reason", not unsaid, unsaid)
    said = tuple(f"{m.path}:{n}" for m in modules if not m.path.startswith(CLI) for n in prints(m.tree))
    yield Row("prints outside the CLI", f"{len(said)}", "0", not said, said)


def _documented(node: Definition) -> bool:
    """A protocol's call is documented by its class."""
    return ast.get_docstring(node) is not None or node.name == "__call__"


def _reason(module: Module, line: int) -> bool:
    """Whether a comment stands on the handler's line, or beside it: that is where the reason is."""
    return any("#" in text for text in module.text.splitlines()[line - 2 : line + 1])


def structure(modules: Sequence[Module], root: Path) -> Iterator[Row]:
    """Import cycles and the weight of the tests."""
    names = frozenset(m.name for m in modules)
    knots = cycles({m.name: imports(m, names) for m in modules})
    yield Row("import cycles", f"{len(knots)}", "0", not knots, tuple(" ↔ ".join(k) for k in knots))
    source = sum(m.lines for m in modules)
    tests = sum(p.read_text(encoding="utf-8").count("\n") for p in (root / "tests").rglob("*.py"))
    yield Row("test lines / source lines", f"{tests / max(1, source):.2f}", "≥ 1 (aim)")


def measure(root: Path) -> tuple[Row, ...]:
    """The whole table."""
    modules = read(root)
    return (*sizes(modules), *words(modules), *structure(modules, root))


def table(rows: Sequence[Row]) -> str:
    """Rows as aligned text, the offenders below the line they break."""
    wide = max(len(r.rule) for r in rows)
    value = max(len(r.value) for r in rows)
    sign: Callable[[Row], str] = lambda r: {None: " ", True: "✓", False: "✗"}[r.ok]  # noqa: E731 - one use
    out = []
    for r in rows:
        out.append(f"{sign(r)} {r.rule:<{wide}}  {r.value:>{value}}  {r.limit}".rstrip())
        if r.ok is False:
            out += [f"    {where}" for where in r.where[:20]]
    return "\n".join(out)


def main() -> int:
    """Print the table; 1 when a limit is broken."""
    rows = measure(Path())
    print(table(rows))
    return int(any(r.ok is False for r in rows))


if __name__ == "__main__":
    sys.exit(main())
