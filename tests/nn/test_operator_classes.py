"""What is asked of an operator is a field, a method or a row of a table: tests of its class are counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.syntax import trees_of

# As many as there are. A new one is a field of the operator, a method of it, or a row of a table (`ClassTable`).
MOST = 11
ASKED = ("isinstance(", "issubclass(", "hasattr(", "type(", "match ", ".register")
BASES = {"Operator", "DataMovement", "NodeOperator"}


def names_in(*nodes: ast.AST | None) -> set[str]:
    """Names that an expression is made of, without those of Python's own syntax trees."""
    found = set()
    for node in (inner for outer in nodes if outer is not None for inner in ast.walk(outer)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "ast"):
            found.add(node.attr)
    return found


def operators() -> set[str]:
    """Names of all classes of operators, and of unions and tuples of them."""
    bases: dict[str, set[str]] = {}
    for _, tree in trees_of(lambda text: "neonsim.nn" in text and "class " in text):
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                bases[node.name] = names_in(*node.bases)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.Tuple):
                bases |= {target.id: names_in(node.value) for target in node.targets if isinstance(target, ast.Name)}
    found = set(BASES)
    while more := {name for name, its in bases.items() if its & found} - found:
        found |= more
    return found


def class_checks(tree: ast.Module, known: set[str]) -> Iterator[int]:
    """The lines in which a class of an operator is asked for."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]) if names_in(kinds) & known:
                yield node.lineno
            case ast.Call(func=ast.Name(id="hasattr"), args=[one, _]) if names_in(one) & {"operator", "one"}:
                yield node.lineno
            case ast.Compare(left=ast.Call(func=ast.Name(id="type"))) if names_in(*node.comparators) & known:
                yield node.lineno
            case ast.MatchClass() if names_in(node.cls) & known:
                yield node.cls.lineno
            case ast.FunctionDef(decorator_list=[first, *_]) if ".register" in ast.unparse(first):
                if names_in(first, *(one.annotation for one in node.args.args)) & known:
                    yield node.lineno


def uses_operators(text: str) -> bool:
    """Whether a source may know classes of operators, and asks for a class."""
    return "neonsim.nn" in text and any(word in text for word in ASKED)


def test_they_are_found() -> None:
    text = '''
isinstance(x, Add | int)
isinstance(x, ast.Add)
type(x) is Add
hasattr(node.operator, "w")
match x:
    case Add():
        pass
@table.register
def one(x: Add) -> None: ...
@table.register(Add)
def two(x: object) -> None: ...
'''
    assert sorted(class_checks(ast.parse(text), {"Add"})) == [2, 4, 5, 7, 10, 12]
    assert {"Conv2d", "Concat", "Float32Softmax", "Product"} <= operators()


def test_no_more_of_them() -> None:
    known = operators()
    found = [f"{name}:{line}" for name, tree in trees_of(uses_operators)
             for line in class_checks(tree, known)]
    assert len(found) <= MOST, found
