"""Settings from four layers, weakest first: git config, GITEDIT_*, the batch's own keys, flags. Pure.

The strongest layer that says anything decides, and only its value is judged: a flag helps out of a bad config.
An empty value takes a setting back to its default; an empty boolean is false, as in git.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import Batch, Mode
from gitedit.errors import EditError

Config = Mapping[str, Sequence[str | None]]
"""What `git config -z --list` says: lower-case key to its values, the last one decides; None: a key without a value."""

_Value = TypeVar("_Value")
_MODES: dict[str, Mode] = {"strict": "strict", "anchored": "anchored"}
_MATCHES = {"exact": True, "fuzzy": False}
# git_parse_maybe_bool: these words in any case, and any integer.
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "": False}


class Settings(NamedTuple):
    """What one `apply` goes by."""

    mode: Mode = "strict"
    exact: bool = False
    """No fuzzy matching."""
    agent: str | None = None
    """As given, unchecked; should be `NAME:MODEL`."""
    session: str | None = None
    message: str | None = None
    encoding: str | None = None
    """Codec of the files; None: UTF-8, other bytes kept."""
    sign: bool | None = None
    """None: as `commit.gpgSign` says."""
    strict_eol: bool = False
    assisted_by: bool = True
    """Write the `Assisted-by` trailer."""
    summary: bool = True
    """Write a readable line per region where the message is the default one."""


def resolve(config: Config, environ: Mapping[str, str], batch: Batch, request: ApplyRequest) -> Settings:
    """Return the settings of one `apply`; raise EditError `usage` where the deciding value is no valid one."""
    weak = _Weak(config, environ)
    default = Settings()
    return Settings(
        mode=request.mode or batch.mode or weak.mode(default.mode),
        exact=(
            weak.word("match", "GITEDIT_MATCH", _MATCHES, default.exact) if request.exact is None else request.exact
        ),
        agent=_text(request.agent, batch.agent, weak, "agent", "GITEDIT_AGENT"),
        session=_text(request.session, batch.session, weak, None, "GITEDIT_SESSION"),
        # No variable and no config key: a message that outlives its batch would describe the wrong commit.
        message=_text(request.message, batch.message, weak, None, None),
        encoding=request.encoding or None,
        sign=weak.boolean("sign", "GITEDIT_SIGN", default.sign) if request.sign is None else request.sign,
        strict_eol=(
            weak.boolean("strictEol", "GITEDIT_STRICT_EOL", default.strict_eol)
            if request.strict_eol is None
            else request.strict_eol
        ),
        assisted_by=weak.boolean("assistedBy", "GITEDIT_ASSISTED_BY", default.assisted_by),
        summary=weak.boolean("summary", "GITEDIT_SUMMARY", default.summary),
    )


class _Weak(NamedTuple):
    """The two layers that are plain text: environment over git config."""

    config: Config
    environ: Mapping[str, str]

    def said(self, key: str | None, variable: str | None) -> tuple[str | None, str] | None:
        """Return the value that decides and the name of its source, or None where neither layer says anything."""
        if variable is not None and variable in self.environ:
            return self.environ[variable], variable
        values = self.config.get(f"gitedit.{key.lower()}") if key is not None else None
        return (values[-1], f"git config gitedit.{key}") if values else None

    def mode(self, default: Mode) -> Mode:
        """Return the mode."""
        return self.word("mode", "GITEDIT_MODE", _MODES, default)

    def word(self, key: str, variable: str, words: Mapping[str, _Value], default: _Value) -> _Value:
        """Return what the word stands for, in any case."""
        said = self.said(key, variable)
        if said is None or said[0] == "":
            return default
        value, source = said
        if value is None or value.lower() not in words:
            raise _invalid(source, value, " or ".join(f"'{word}'" for word in words))
        return words[value.lower()]

    def boolean(self, key: str, variable: str, default: _Value) -> _Value | bool:
        """Return git's reading of a boolean."""
        said = self.said(key, variable)
        if said is None:
            return default
        value, source = said
        if value is None:
            return True
        try:
            return _BOOLEANS[value.lower()] if value.lower() in _BOOLEANS else int(value) != 0
        except ValueError:
            raise _invalid(source, value, "a boolean, as 'true' or 'false'") from None

    def text(self, key: str | None, variable: str | None) -> str | None:
        """Return free text."""
        said = self.said(key, variable)
        if said is None:
            return None
        value, source = said
        if value is None:
            raise _invalid(source, value, "some text")
        return value


def _text(flag: str | None, own: str | None, weak: _Weak, key: str | None, variable: str | None) -> str | None:
    strong = own if flag is None else flag
    return (weak.text(key, variable) if strong is None else strong) or None


def _invalid(source: str, value: str | None, wanted: str) -> EditError:
    said = "has no value" if value is None else f"is {value[:80]!a}"
    return EditError("usage", f"{source} {said}; it must be {wanted}", "an option of the command goes before it")
