"""The canonical batch as a JSON schema. Other spellings are taken, but only these names are advertised."""

import json
from typing import Any, Literal

Tool = Literal["openai", "anthropic", "mcp"]
Schema = dict[str, Any]

_NAME = "edit"
_DESCRIPTION = (
    "Edit one text file by exact search and replace. Each oldText must occur exactly once in the file, or be made "
    "unique by including more of its surroundings; edits are applied in order and all or none take effect. Copy "
    "oldText from the file as it is, white space included. Bytes outside the replaced text never change."
)
_EDIT: Schema = {
    "type": "object",
    "properties": {
        "oldText": {"type": "string", "description": "Text to replace; it must occur exactly once."},
        "newText": {"type": "string", "description": "Text to put in its place; empty to delete."},
    },
    "required": ["oldText", "newText"],
    "additionalProperties": False,
}
_EDITS: Schema = {"type": "array", "description": "Edits, in the order to apply them.", "items": _EDIT}
_PATH: Schema = {"type": "string", "description": "Path of the file, relative to the current directory."}
_ARGUMENTS: Schema = {
    "type": "object",
    "properties": {"path": _PATH, "edits": _EDITS},
    "required": ["path", "edits"],
    "additionalProperties": False,
}
_LITERAL: Schema = {
    "type": "boolean",
    "description": "Anchored mode: [upto] in oldText is ordinary text, not a marker.",
}
_EXPECT: Schema = {
    "type": "string",
    "description": "Refuse unless the file is this: sha256:<hex> of its bytes, or its blob id.",
    "pattern": "^(sha256:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{64})$",
}
_OPTIONS: Schema = {
    "mode": {
        "enum": ["strict", "anchored"],
        "description": "strict: each edit sees the ones before it. anchored: all refer to the original, and oldText"
        " may be 'head[upto]tail'.",
    },
    "message": {"type": "string", "description": "Commit message."},
    "agent": {"type": "string", "description": "Who wrote the edits, as NAME:MODEL."},
    "session": {"type": "string", "description": "Any id that tells where they come from."},
}


def schema(tool: Tool | None = None) -> str:
    """Return the schema, or a tool definition around the arguments of one file's edits, as indented JSON."""
    wrapped: dict[Tool | None, Schema] = {
        None: _batch(),
        "openai": {
            "type": "function",
            "function": {"name": _NAME, "description": _DESCRIPTION, "parameters": _ARGUMENTS, "strict": True},
        },
        "anthropic": {"name": _NAME, "description": _DESCRIPTION, "input_schema": _ARGUMENTS},
        "mcp": {"name": _NAME, "description": _DESCRIPTION, "inputSchema": _ARGUMENTS},
    }
    return json.dumps(wrapped[tool], indent=2) + "\n"


def _batch() -> Schema:
    """Return the schema of everything that `apply` takes by its canonical names."""
    edit = {**_EDIT, "properties": {**_EDIT["properties"], "literal": _LITERAL}}
    file = {"path": _PATH, "edits": {**_EDITS, "items": {"$ref": "#/$defs/edit"}, "minItems": 1}, "expect": _EXPECT}
    shape = {"type": "object", "additionalProperties": False}
    one = {**shape, "properties": {**file, **_OPTIONS}, "required": ["path", "edits"]}
    files = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/file"}}
    several = {**shape, "properties": {"files": files, **_OPTIONS}, "required": ["files"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gitedit batch",
        "description": "One all-or-nothing set of edits.",
        "oneOf": [
            {"$ref": "#/$defs/one"},
            {"$ref": "#/$defs/several"},
            {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/one"}},
        ],
        "$defs": {
            "edit": edit,
            "file": {**shape, "properties": {**file, "mode": _OPTIONS["mode"]}, "required": ["path", "edits"]},
            "one": one,
            "several": several,
        },
    }
