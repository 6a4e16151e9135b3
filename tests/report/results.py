"""Results made by hand."""

from gitedit.edits.model import Outcome, Region
from gitedit.publish.result import FileResult, Result

MIXED_OLD = b"one\r\ntwo\nthree\rstill three\nfour\r\n"
MIXED_NEW = b"one\r\n2\nthree\rstill three\nfour\r\n"


def file_result(path="src/mixed.txt", old=MIXED_OLD, new=MIXED_NEW, regions=None, edits=None):
    return FileResult(
        path=path,
        edits=edits or (Outcome("exact", 2, 2),),
        regions=(Region(5, 8, 5, 6, "exact"),) if regions is None else regions,
        old=old,
        new=new,
        added=1,
        removed=1,
    )


def whole(path, old, new):
    """One region over everything."""
    return file_result(path, old, new, (Region(0, len(old), 0, len(new), "exact"),))


def committed(*files, **facts):
    made = {"commit": "1234567890" * 4, "ref": "refs/heads/main", "parent": "a" * 40, "record_id": "0123456789abcdef"}
    return Result(mode="strict", dry_run=False, files=files or (file_result(),), **(made | facts))


def uncommitted(*files, **facts):
    return Result(**({"mode": "strict", "dry_run": False, "files": files or (file_result(),)} | facts))
