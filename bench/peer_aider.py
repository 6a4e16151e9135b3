"""Runs aider's search/replace, from the package that the command line names: a JSON line in, a JSON line out.

The module of `do_replace` imports the rest of aider, and with it 300 packages, for classes that the function does not
use; empty ones stand in for those. Files are read and written as its InputOutput does: as text, with line endings of
the platform.
"""

import importlib.util
import io
import json
import os
import sys
import time
import types

# Its first choice of what stands around a block.
FENCE = ("```", "```")


def load(package: str):
    """Import editblock_coder.py under its own name, beside empty modules."""
    empty = {
        "aider": {},
        "aider.coders": {},
        "aider.utils": {},
        "aider.dump": {"dump": print},
        "aider.coders.base_coder": {"Coder": object},
        "aider.coders.editblock_prompts": {"EditBlockPrompts": object},
    }
    for name, contents in empty.items():
        module = types.ModuleType(name)
        module.__path__ = []
        vars(module).update(contents)
        sys.modules[name] = module
    file = os.path.join(package, "coders", "editblock_coder.py")
    spec = importlib.util.spec_from_file_location("aider.coders.editblock_coder", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    replace = load(sys.argv[1]).do_replace
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        asked = json.loads(line)
        source = asked["source"].encode("latin-1")
        content, said = None, ""
        started = time.perf_counter()
        try:
            text = io.TextIOWrapper(io.BytesIO(source), encoding="utf-8").read()
            for edit in asked["edits"]:
                text = replace(__file__, text, edit["oldText"], edit["newText"], FENCE)
                if not text:
                    said = "no match"
                    break
            else:
                content = text.replace("\n", os.linesep).encode()
        except (UnicodeError, ValueError) as error:
            said = str(error)[:200]
        seconds = time.perf_counter() - started
        told = None if content is None or asked["timed"] else content.decode("latin-1")
        answers.write(json.dumps({"seconds": seconds, "content": told, "said": said}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
