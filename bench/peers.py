"""The edit functions of other tools, run from their own packages in a child that reads JSON lines.

    python bench/peers.py install

puts the packages into bench/.peers/, or where GITEDIT_BENCH_PEERS says. None of their code is part of this repository;
nothing else here uses the network, and a peer that is missing is skipped.
"""

import json
import os
import select
import subprocess
import sys
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.environ.get("GITEDIT_BENCH_PEERS") or os.path.join(HERE, ".peers")
PI = "@earendil-works/pi-coding-agent"
AIDER = "aider-chat==0.86.2"


class Answer(NamedTuple):
    """What a peer did with one case."""

    seconds: float
    content: bytes | None
    """None: it refused."""
    said: str


class Peer:
    """A peer that may be missing, may fail, and may not finish."""

    def __init__(self, name: str, command: list[str], needs: str) -> None:
        self.name = name
        self._command = command
        self._needs = needs
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def missing(self) -> str:
        """Return why it can't run, or ""."""
        return "" if os.path.exists(self._needs) else "not installed (python bench/peers.py install)"

    def edit(self, source: bytes, edits: list[dict[str, str]], *, timeout: float, timed: bool = False) -> Answer | None:
        """Apply the edits to a file with this content; None: not done in time, and the child is ended.

        With `timed` only the function that edits a text is run, which its seconds are of; without, the whole tool.
        """
        if self._child is None:
            # What they say beside their answers (warnings of their dependencies) is of no interest.
            pipe, null = subprocess.PIPE, subprocess.DEVNULL
            self._child = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=null)
        asked = {"source": source.decode("latin-1"), "edits": edits, "timed": timed}
        requests, answers = self._child.stdin, self._child.stdout
        requests.write(json.dumps(asked).encode() + b"\n")
        requests.flush()
        if not select.select([answers], [], [], timeout)[0]:
            self.close()
            return None
        line = answers.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with {self._child.wait()}")
        told = json.loads(line)
        content = told["content"]
        return Answer(told["seconds"], None if content is None else content.encode("latin-1"), told["said"])

    def close(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def peers() -> list[Peer]:
    found = []
    for version, folder in {"0.84.3": "pi-0.84.3", "latest": "pi-latest"}.items():
        package = os.path.join(HOME, folder, "node_modules", *PI.split("/"))
        name = "pi " + (_version(package) or version)
        driver = os.path.join(HERE, "peer_pi.mjs")
        found.append(Peer(name, ["node", driver, package], package))
    package = os.path.join(HOME, "aider", "aider")
    driver = os.path.join(HERE, "peer_aider.py")
    found.append(Peer(AIDER.replace("-chat==", " "), [sys.executable, driver, package], package))
    return found


def _version(package: str) -> str:
    try:
        with open(os.path.join(package, "package.json"), encoding="utf-8") as stream:
            return json.load(stream)["version"]
    except OSError:
        return ""


def install() -> None:
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    for version, folder in {"0.84.3": "pi-0.84.3", "latest": "pi-latest"}.items():
        place = os.path.join(HOME, folder)
        os.makedirs(place, exist_ok=True)
        subprocess.run(["npm", "install", *quiet, "--prefix", place, f"{PI}@{version}"], check=True)
    # Without its 300 dependencies: the function that edits a text needs none of them.
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target"]
    subprocess.run([*pip, os.path.join(HOME, "aider"), AIDER], check=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["install"]:
        sys.exit(__doc__)
    install()
