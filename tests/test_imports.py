"""Imports go one way, and nothing below the commands prints."""

import ast
import os

import pytest

import gitedit

TOP = os.path.dirname(gitedit.__file__)
VALUES = {
    *("audit.model", "edits.model", "publish.result"),
    *(f"commands.{name}" for name in ("blame", "log", "request", "show", "stats")),
}
"""Modules of plain values; they may be named where their package may not be used."""
ALLOWED = {
    "errors": set(),
    "edits": {"errors"},
    "record": {"edits", "errors"},
    "git": {"errors"},
    "publish": {"git", "edits", "record", "errors"},
    "audit": {"git", "edits", "record", "errors"},
    "settings": {"errors"},
    "report": {"edits", "record", "errors"},
    "commands": {"publish", "audit", "git", "edits", "record", "settings", "errors", "report"},
    "api": {"commands", "edits", "errors", "report", "settings"},
    "cli": {"concern", "commands", "report", "settings", "errors"},
    "concern": {"git"},
    "__main__": {"cli", "concern"},
    "__init__": {"api", "edits", "errors"},
}
PURE = {"edits", "record", "report", "settings", "errors"}
EFFECTS = {"subprocess", "os", "sys", "tempfile", "shutil", "socket", "pathlib"}


def modules():
    for base, _, names in os.walk(TOP):
        for name in names:
            if name.endswith(".py"):
                full = os.path.join(base, name)
                yield os.path.relpath(full, TOP).removesuffix(".py").replace(os.sep, ".")


def tree(module):
    with open(os.path.join(TOP, *module.split(".")) + ".py", encoding="utf-8") as stream:
        return ast.parse(stream.read())


def imported(module):
    """Return the absolute names that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_go_one_way_when_a_module_is_read(module):
    layer = module.partition(".")[0]
    names = {name.removeprefix("gitedit.") for name in imported(module) if name.startswith("gitedit.")}
    for name in names - {"__version__"} if layer in ALLOWED else ():
        own = name.partition(".")[0] == layer
        value = any(name == each or name.startswith(each + ".") for each in VALUES)
        assert own or value or name.partition(".")[0] in ALLOWED[layer], f"{module} imports {name}"
    assert layer in ALLOWED
    if layer in PURE:
        assert not {name.partition(".")[0] for name in imported(module)} & EFFECTS, f"{module} is not pure"


@pytest.mark.parametrize("module", sorted(m for m in modules() if m.partition(".")[0] not in {"cli", "__main__"}))
def test_module_does_not_print_when_it_is_not_the_command_line(module):
    calls = [node.func for node in ast.walk(tree(module)) if isinstance(node, ast.Call)]
    assert not any(isinstance(func, ast.Name) and func.id in {"print", "input", "exit"} for func in calls)
    streams = [
        node for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute) and node.attr in {"stdout", "stderr"}
    ]
    assert not any(isinstance(node.value, ast.Name) and node.value.id == "sys" for node in streams)
