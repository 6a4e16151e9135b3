"""The Python form of `gitedit apply`: a batch as JSON or as plain Python values in, the facts out."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gitedit.commands.apply import apply as run
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import Mode
from gitedit.errors import BatchError
from gitedit.publish.result import Result


def apply(
    batch: Mapping[str, Any] | Sequence[Mapping[str, Any]] | bytes | str,
    *,
    repo: str = ".",
    commit: bool = False,
    stage: bool = False,
    dry_run: bool = False,
    message: str | None = None,
    mode: Mode | None = None,
    exact: bool | None = None,
    agent: str | None = None,
    session: str | None = None,
    encoding: str | None = None,
    verify: bool = True,
    sign: bool | None = None,
    signoff: bool = False,
    require_clean: bool = False,
    strict_eol: bool | None = None,
) -> Result:
    """Apply a batch to files of a git work tree, and with `commit` commit exactly its lines.

        result = gitedit.apply({"path": "a.py", "edits": [{"oldText": "1", "newText": "2"}]}, commit=True)
        print(result.commit, result.files[0].edits[0].matched_via)

    Args:
        batch: one object, a list of them, or `{"files": [...]}`, as Python values or as JSON text.
        repo: a directory in the work tree; the batch's paths are relative to it.
        commit: commit the batch's lines, and nothing else, with a record in the message.
        stage: put the batch's lines into the index as well; not with `commit`.
        dry_run: do everything but write.
        message: the commit message, to which the record is appended; None: a default one.
        mode: `strict` or `anchored`; None, here and below: as batch, environment and git config say.
        exact: match exactly (line endings aside), never fuzzily.
        agent: who wrote the edits, as `NAME:MODEL`.
        session: where they come from; kept in the record.
        encoding: codec of the files, where it is not UTF-8.
        verify: False skips the pre-commit and commit-msg hooks.
        sign: whether to sign the commit; None: as commit.gpgSign says.
        signoff: add the user's Signed-off-by.
        require_clean: refuse files with changes of the user's own.
        strict_eol: refuse where git would convert line endings.

    Returns:
        What `gitedit apply --json` says, as immutable values.

    Raises:
        EditError: every refusal, with `code`, `message`, `hint` and `problems`; everything is as it was then.
    """
    return run(
        ApplyRequest(
            batch=_json(batch),
            directory=repo,
            commit=commit,
            stage=stage,
            dry_run=dry_run,
            message=message,
            mode=mode,
            exact=exact,
            agent=agent,
            session=session,
            encoding=encoding,
            verify=verify,
            sign=sign,
            signoff=signoff,
            require_clean=require_clean,
            strict_eol=strict_eol,
        )
    )


def _json(batch: object) -> bytes:
    """Return the batch as JSON, so that it is judged by the one reader of batches, whatever form it came in."""
    if isinstance(batch, bytes):
        return batch
    try:
        text = batch if isinstance(batch, str) else json.dumps(batch)
    except (TypeError, ValueError) as error:
        raise BatchError("bad-batch", f"the batch is not JSON: {error}") from error
    except RecursionError as error:
        raise BatchError("bad-batch", "the batch is nested too deeply") from error
    # UTF-8 has no lone surrogates; as an escape one can stand in JSON.
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")
