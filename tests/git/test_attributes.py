"""What attributes say, held against git: above all the rule that spares asking it (`cannot_matter`)."""

import os
import random

import pytest

from gitedit.git import attributes, configuration
from gitedit.git.attributes import AttributeReader, Attributes
from gitedit.git.objects import object_id
from gitedit.git.process import Git

WORDS = (
    *("text", "-text", "!text", "text=auto", "text=set", "text=nonsense"),
    *("crlf", "-crlf", "!crlf", "crlf=input", "crlf=auto"),
    *("eol=lf", "eol=crlf", "-eol", "eol", "eol=nonsense"),
    *("ident", "-ident", "ident=x", "binary", "mine", "-mine", "diff"),
)
PIECES = (b"a", b"b\n", b"c\r\n", b"\r", b"$Id$", b"$Id: 12 $\n", b"$Id", b"\0", b"\n", b"\r\n\r\n")
AUTOCRLF = (None, "false", "true", "input", "2", "00", "")
SAFECRLF = (None, "false", "true", "warn", "1", "0x1", "2")
EOL = (None, "lf", "crlf", "native")
PER_CONFIGURATION = 16


def reader(repo):
    return AttributeReader(Git(repo.path, repo.env))


def attributes_of(repo, *paths, sources=None):
    asked = reader(repo)
    try:
        return [asked.read([path], sources or {})[path] for path in paths]
    finally:
        asked.close()


def test_nothing_is_said_when_there_are_no_attributes(repo):
    assert attributes_of(repo, "f") == [Attributes()]


def test_every_path_gets_its_own_answer_when_there_are_many(repo):
    repo.write(".gitattributes", "".join(f"p{n} eol={'lf' if n % 2 else 'crlf'}\n" for n in range(100)))
    paths = [f"p{n}" for n in range(100)]
    asked = reader(repo)
    found = asked.read(paths, {})
    asked.close()
    assert [found[path].eol for path in paths] == ["crlf", "lf"] * 50


def test_answer_is_new_when_an_attributes_file_has_changed(repo):
    asked = reader(repo)
    repo.write(".gitattributes", "f text\n")
    assert asked.read(["f"], {".gitattributes": b"f text\n"})["f"].text == "set"
    repo.write(".gitattributes", "f -text\n")
    assert asked.read(["f"], {".gitattributes": b"f -text\n"})["f"].text == "unset"
    asked.close()


@pytest.mark.parametrize("name", ['q"uo\\te', "new\nline", "tab\t", b"latin\xe9".decode("utf-8", "surrogateescape")])
def test_answer_is_for_the_path_as_it_is_when_the_path_is_odd(repo, name):
    repo.write(".gitattributes", "* text eol=crlf\n")
    assert attributes_of(repo, name)[0].eol == "crlf"


def combination(chance):
    """Return random attribute lines for one path, what the index holds for it, and contents."""
    lines = [" ".join(chance.sample(WORDS, chance.randint(0, 3))) for _ in range(chance.randint(0, 2))]
    bodies = [b"".join(chance.choices(PIECES, k=chance.randint(0, 6))) for _ in range(2)]
    return [line for line in lines if line], bodies[0], bodies[1]


def configured(repo, chance):
    """Give a repository random settings; return its configuration as gitedit reads it."""
    for key, values in (("core.autocrlf", AUTOCRLF), ("core.safecrlf", SAFECRLF), ("core.eol", EOL)):
        value = chance.choice(values)
        repo.git("config", "--unset-all", key, check=False)
        if value is not None:
            repo.git("config", key, value)
    return configuration.read(Git(repo.path, repo.env))


def added(repo, path):
    """Return what `git add` stores for a path, or None where it refuses."""
    if repo.git("add", "--", path, check=False):
        return None
    return repo.git("ls-files", "--stage", "--", path).split()[1].decode()


def test_git_stores_the_bytes_as_they_are_when_the_rule_says_that_it_cannot_matter(make_repo):
    """400 random combinations of settings, attribute lines, index and disk."""
    chance = random.Random(20)  # noqa: S311 (the same combinations in every run)
    skipped = converted = total = 0
    for number in range(25):
        repo = make_repo(f"r{number}")
        settings = configured(repo, chance)
        made = {f"f{n}": combination(chance) for n in range(PER_CONFIGURATION)}
        lines = ["[attr]mine text eol=crlf ident", *(f"{p} {line}" for p, (some, *_) in made.items() for line in some)]
        repo.write(".gitattributes", "\n".join(lines) + "\n")
        indexed = repo.git("hash-object", "-w", "--no-filters", "--stdin-paths", data=stored(repo, made)).split()
        rows = b"".join(b"100644 %s\t%s\n" % (oid, path.encode()) for path, oid in zip(made, indexed, strict=True))
        repo.git("update-index", "--index-info", data=rows)
        asked = reader(repo)
        rules = asked.read(list(made), {})
        asked.close()
        for path, (_, _, body) in made.items():
            repo.write(path, body)
            total += 1
            if attributes.cannot_matter(rules[path], settings, [body]):
                skipped += 1
                assert added(repo, path) == object_id("blob", body, "sha1"), (settings, rules[path], body)
            elif converted < 5:
                converted += added(repo, path) != object_id("blob", body, "sha1")
    assert total == 400
    assert skipped > total // 4
    assert converted == 5


def stored(repo, made):
    """Write what the index is to hold outside the tree; return the paths, one a line."""
    folder = repo.path + ".stored"
    os.makedirs(folder)
    for path, (_, body, _) in made.items():
        repo.write(os.path.join(folder, path), body)
    return "".join(f"{folder}/{path}\n" for path in made).encode()


@pytest.mark.parametrize(
    ("line", "config", "expected"),
    [
        ("", {}, True),
        ("f -text", {"core.autocrlf": "true"}, True),
        ("f -text eol=crlf", {"core.safecrlf": "true"}, True),
        ("f binary", {"core.autocrlf": "true"}, True),
        ("f text", {}, False),
        ("f text=auto", {}, False),
        ("f eol=lf", {}, False),
        ("f crlf", {}, False),
        ("", {"core.autocrlf": "input"}, False),
        ("", {"core.eol": "crlf"}, True),
        ("f -ident", {}, True),
        ("f ident", {}, False),
    ],
)
def test_rule_needs_git_only_when_something_could_convert(repo, line, config, expected):
    for key, value in config.items():
        repo.git("config", key, value)
    repo.write(".gitattributes", line + "\n")
    settings = configuration.read(Git(repo.path, repo.env))
    assert attributes.cannot_matter(attributes_of(repo, "f")[0], settings, [b"a\r\n$Id$\n"]) is expected


@pytest.mark.parametrize("value", ["true", "1", "2", "0x1", "1k", "yes", "on", "TRUE"])
def test_rule_asks_git_about_plain_lines_when_safecrlf_is_set_in_any_way(repo, value):
    repo.git("config", "core.safecrlf", value)
    repo.write(".gitattributes", "f text eol=crlf\n")
    settings = configuration.read(Git(repo.path, repo.env))
    assert not attributes.cannot_matter(attributes_of(repo, "f")[0], settings, [b"a\n"])


@pytest.mark.parametrize("value", ["false", "0", "no", "off", "warn", "WARN", ""])
def test_rule_spares_plain_lines_when_safecrlf_cannot_refuse(repo, value):
    repo.git("config", "core.safecrlf", value)
    repo.write(".gitattributes", "f text eol=crlf\n")
    settings = configuration.read(Git(repo.path, repo.env))
    assert attributes.cannot_matter(attributes_of(repo, "f")[0], settings, [b"a\n"])
