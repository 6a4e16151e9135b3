"""gitedit: byte-exact edit batches in a git working tree, each committed as exactly its lines, with a record."""

TYPE_CHECKING = False  # as typing's, whose import is a third of what a hook with nothing to say may cost
if TYPE_CHECKING:
    from gitedit.api import apply, open_repository
    from gitedit.edits.batch import prepare_arguments
    from gitedit.edits.engine import apply_edits
    from gitedit.errors import EditError

__version__ = "0.1.0"
__all__ = ["EditError", "apply", "apply_edits", "open_repository", "prepare_arguments"]

_HOMES = {
    "EditError": "gitedit.errors",
    "apply": "gitedit.api",
    "apply_edits": "gitedit.edits.engine",
    "open_repository": "gitedit.api",
    "prepare_arguments": "gitedit.edits.batch",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: start-up pays for what it uses."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # `importlib` would be one more package to load; this is what it comes down to.
    value: object = getattr(__import__(_HOMES[name], fromlist=[name]), name)
    globals()[name] = value
    return value
