"""Four layers, weakest first; each row of a table is one situation."""

import os
import subprocess
import sys

import pytest

import gitedit
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import Batch
from gitedit.errors import EditError
from gitedit.settings import Settings, resolve

NOTHING_SAID = ApplyRequest(batch=b"")
EMPTY_BATCH = Batch(files=())


def settings(config=None, environ=None, batch=EMPTY_BATCH, request=NOTHING_SAID):
    return resolve(config or {}, environ or {}, batch, request)


def test_settings_are_the_defaults_when_nobody_says_anything():
    assert settings() == Settings()


@pytest.mark.parametrize(
    ("config", "environ"),
    [
        ({"gitedit.mode": [""]}, {}),
        ({"gitedit.match": [""]}, {}),
        ({"gitedit.agent": [""]}, {}),
        ({"gitedit.agent": ["A:b"]}, {"GITEDIT_AGENT": ""}),
        ({"gitedit.mode": ["anchored"]}, {"GITEDIT_MODE": ""}),
        ({"gitedit.session": ["s"], "gitedit.message": ["m"]}, {"GITEDIT_MESSAGE": "m", "GITEDIT_ENCODING": "cp1252"}),
        ({"other.mode": ["anchored"]}, {"MODE": "anchored"}),
    ],
)
def test_settings_stay_the_defaults_when_a_value_is_empty_or_not_ours(config, environ):
    assert settings(config, environ) == Settings()


@pytest.mark.parametrize(
    ("layers", "field", "value"),
    [
        ("config", "agent", "Config:a"),
        ("config environ", "agent", "Environ:b"),
        ("config environ batch", "agent", "Batch:c"),
        ("config environ batch flag", "agent", "Flag:d"),
        ("config", "mode", "anchored"),
        ("config environ", "mode", "strict"),
        ("config environ batch", "mode", "anchored"),
        ("config environ batch flag", "mode", "strict"),
        ("environ", "session", "environ"),
        ("environ batch", "session", "batch"),
        ("environ batch flag", "session", "flag"),
        ("batch", "message", "batch"),
        ("batch flag", "message", "flag"),
        ("config", "exact", True),
        ("config environ", "exact", False),
        ("config environ flag", "exact", True),
        ("config", "sign", True),
        ("config environ", "sign", False),
        ("config environ flag", "sign", True),
        ("config", "strict_eol", True),
        ("config environ", "strict_eol", False),
        ("config environ flag", "strict_eol", True),
        ("config", "assisted_by", False),
        ("config environ", "assisted_by", True),
        ("config", "summary", False),
        ("config environ", "summary", True),
    ],
)
def test_stronger_layer_decides_when_several_say_something(layers, field, value):
    config = {
        "gitedit.mode": ["strict", "anchored"],
        "gitedit.match": ["exact"],
        "gitedit.agent": ["Older:x", "Config:a"],
        "gitedit.sign": [None],
        "gitedit.stricteol": ["On"],
        "gitedit.assistedby": ["no"],
        "gitedit.summary": ["0"],
    }
    environ = {
        "GITEDIT_MODE": "STRICT",
        "GITEDIT_MATCH": "fuzzy",
        "GITEDIT_AGENT": "Environ:b",
        "GITEDIT_SESSION": "environ",
        "GITEDIT_SIGN": "off",
        "GITEDIT_STRICT_EOL": "",
        "GITEDIT_ASSISTED_BY": "1",
        "GITEDIT_SUMMARY": "yes",
    }
    batch = Batch((), mode="anchored", message="batch", agent="Batch:c", session="batch")
    request = ApplyRequest(
        b"", mode="strict", message="flag", agent="Flag:d", session="flag", exact=True, sign=True, strict_eol=True
    )
    found = settings(
        config if "config" in layers else {},
        environ if "environ" in layers else {},
        batch if "batch" in layers else EMPTY_BATCH,
        request if "flag" in layers else NOTHING_SAID,
    )
    assert getattr(found, field) == value


def test_empty_flag_means_none_when_a_weaker_layer_names_an_agent():
    request = ApplyRequest(b"", agent="", session="", message="")
    batch = Batch((), agent="A:b", session="s", message="m")
    found = settings({"gitedit.agent": ["C:d"]}, {"GITEDIT_SESSION": "e"}, batch, request)
    assert (found.agent, found.session, found.message) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(word, True) for word in ("true", "TRUE", "yes", "Yes", "on", "1", "2", "-1", None)],
        *[(word, False) for word in ("false", "no", "No", "off", "0", "")],
    ],
)
def test_boolean_is_git_s_when_written_in_any_of_its_ways(text, value):
    assert settings({"gitedit.sign": [text]}).sign is value


@pytest.mark.parametrize(
    ("config", "environ", "sentence"),
    [
        ({"gitedit.mode": ["loose"]}, {}, "git config gitedit.mode is 'loose'; it must be 'strict' or 'anchored'"),
        ({"gitedit.mode": [None]}, {}, "git config gitedit.mode has no value; it must be 'strict' or 'anchored'"),
        ({}, {"GITEDIT_MODE": "x\x1b\n"}, r"GITEDIT_MODE is 'x\x1b\n'; it must be 'strict' or 'anchored'"),
        ({}, {"GITEDIT_MATCH": "1"}, "GITEDIT_MATCH is '1'; it must be 'exact' or 'fuzzy'"),
        ({"gitedit.agent": [None]}, {}, "git config gitedit.agent has no value; it must be some text"),
        (
            {"gitedit.stricteol": ["maybe"]},
            {},
            "git config gitedit.strictEol is 'maybe'; it must be a boolean, as 'true' or 'false'",
        ),
        ({}, {"GITEDIT_SIGN": "x" * 99}, f"GITEDIT_SIGN is '{'x' * 80}'; it must be a boolean, as 'true' or 'false'"),
    ],
)
def test_invalid_value_is_refused_when_it_would_decide(config, environ, sentence):
    with pytest.raises(EditError) as refusal:
        settings(config, environ)
    assert (refusal.value.code, refusal.value.exit_status) == ("usage", 2)
    assert refusal.value.message == sentence


def test_invalid_value_is_ignored_when_a_stronger_layer_decides():
    config = {"gitedit.mode": ["loose"], "gitedit.sign": ["maybe"], "gitedit.agent": [None]}
    request = ApplyRequest(b"", mode="anchored", sign=False, agent="A:b")
    found = settings(config, {"GITEDIT_MODE": "bad"}, EMPTY_BATCH, request)
    assert (found.mode, found.sign, found.agent) == ("anchored", False, "A:b")


def test_settings_import_nothing_heavy():
    code = "import sys, gitedit.settings; print(*sys.modules)"
    top = os.path.dirname(os.path.dirname(gitedit.__file__))
    loaded = subprocess.run([sys.executable, "-Sc", code], capture_output=True, check=True, text=True, cwd=top)
    assert not {"subprocess", "json", "typer", "rich", "inspect", "git"} & set(loaded.stdout.split())
