"""See gitedit at work: `python3 demo/try.py`.

Makes .venv in the project (system pip may be locked down), installs gitedit there, and runs it in a temporary folder on
a repository with one file of mixed line endings. Needs python3 (3.11 or newer), git, and a package index.
"""

# ruff: noqa: ANN001, ANN002, ANN201, ANN202, D103, INP001, T201, UP036 - a script for a terminal, on any python3

import json
import os
import subprocess
import sys
import tempfile

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(PROJECT, ".venv")
BIN = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin")
FILE = "prices.txt"
BEFORE = b"apple 10\r\npear 20\nplum 30\nfig 40\r\n"
OWN_WORK = BEFORE.replace(b"fig 40", b"fig 44")
AFTER = OWN_WORK.replace(b"apple 10", b"apple 11").replace(b"pear 20", b"pear 22")
BATCH = {
    "path": FILE,
    "edits": [{"oldText": "apple 10", "newText": "apple 11"}, {"oldText": "pear 20", "newText": "pear 22"}],
}


def install():
    if sys.version_info < (3, 11):
        sys.exit("gitedit needs Python 3.11 or newer; start this with another python3")
    if not os.path.exists(os.path.join(BIN, "pip")) and not os.path.exists(os.path.join(BIN, "pip.exe")):
        print(f"$ python3 -m venv {os.path.relpath(VENV)}", flush=True)
        if subprocess.run([sys.executable, "-m", "venv", VENV], check=False).returncode:
            sys.exit("python3 -m venv failed; on Debian and Ubuntu it is in the package python3-venv")
    print("$ pip install .   (into .venv)", flush=True)
    python = os.path.join(BIN, "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", PROJECT], check=True)


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITEDIT_"))}
    path = BIN + os.pathsep + kept.get("PATH", os.defpath)
    return {**kept, "PATH": path, "HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def demonstrate(folder):
    work = os.path.join(folder, "shop")
    variables = environment(folder)

    def quietly(*command):
        done = subprocess.run(command, cwd=work, env=variables, check=True, stdout=subprocess.PIPE)
        return done.stdout

    def show(*command):
        print("\n$ " + " ".join(f"'{word}'" if " " in word else word for word in command), flush=True)
        subprocess.run(command, cwd=work, env=variables, check=True)

    def write(name, data):
        with open(os.path.join(work, name), "wb") as stream:
            stream.write(data)

    os.mkdir(work)
    quietly("git", "init", "-q", "-b", "main")
    quietly("git", "config", "user.name", "T")
    quietly("git", "config", "user.email", "t@example.invalid")
    write(FILE, BEFORE)
    quietly("git", "add", FILE)
    quietly("git", "commit", "-q", "-m", "Add prices")
    write(FILE, OWN_WORK)
    write(os.path.join("..", "batch.json"), json.dumps(BATCH).encode())

    print("\n# A file with mixed endings, and a change of your own in it that is not committed (fig):")
    show("git", "ls-files", "--eol")
    show("git", "diff", "--numstat")
    print("\n# A batch of two edits, committed:")
    show("cat", "../batch.json")
    print()
    show("gitedit", "apply", "--commit", "-m", "Raise two prices", "--agent", "Claude:claude-opus-4", "../batch.json")
    print("\n# The commit holds the two lines; no other ending moved; your own change is still yours:")
    show("git", "show", "--numstat", "--format=%s")
    show("git", "ls-files", "--eol")
    show("git", "diff", "--numstat")
    print("\n# And the commit proves itself:")
    show("gitedit", "show", "HEAD")

    committed = quietly("git", "show", f"HEAD:{FILE}")
    with open(os.path.join(work, FILE), "rb") as stream:
        on_disk = stream.read()
    if committed != AFTER.replace(b"fig 44", b"fig 40") or on_disk != AFTER:
        sys.exit("this is not what should have happened")
    print("\n# Checked byte for byte: commit and file are exactly what they should be.")


def main():
    install()
    with tempfile.TemporaryDirectory() as folder:
        demonstrate(folder)


if __name__ == "__main__":
    main()
