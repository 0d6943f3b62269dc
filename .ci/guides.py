#!/usr/bin/env python3
"""Follows the guides word by word, and fails where a reader would be stuck.

    .ci/guides.py [FILE...]      SECMON and SECMON_MOCK name the programs; target/release has them otherwise

Each document gets an empty home directory and one shell, which runs the document's `sh` blocks in order. A `text`
block shows what the `sh` block before it prints. Ids may differ, but one that comes back must come back; times,
durations and tokens may differ altogether. `/home/you` is the home directory. `...` stands for any text, and alone on
a line for any lines. A comment right before a block says what else it is:

    <!-- guide: file NAME -->         the block is the content of a file, written at this point
    <!-- guide: same as PATH -->      the block has the text of a file of this repository, which has tests of its own
    <!-- guide: background -->        the block goes into another terminal, and starts a server
    <!-- guide: not run: REASON -->   the block is not run, or not compared

A comment that begins with `guide: run` on a line of its own is shell that a reader does not see, for what the document
takes for granted. A block without a meaning is an error. `cargo run --bin NAME` runs a program that is built already,
and `cargo build` and `cargo install` do nothing.
"""

import difflib
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDES = ["README.md", "docs/tour.md", "docs/billing-integration.md", "docs/testing.md", "docs/testing-python.md",
          "docs/testing-javascript.md", "docs/testing-go.md", "docs/testing-php.md", "docs/testing-rust.md",
          "docs/shared-sandbox.md", "docs/key-security.md", "docs/error-codes.md", "docs/in-your-ci.md",
          "mock-server/README.md", "cli/README.md"]
BLOCK = re.compile(
    r"^<!-- guide: run\n(?P<hidden>.*?)^-->$"
    r"|(?:^<!-- guide: (?P<mark>[^\n]*?) -->\n)?^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^(?P=indent)``` *$",
    re.MULTILINE | re.DOTALL)
ID = r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
VARIES = [(r"\b[0-9a-f]{64}\b", "<token>"), (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[+:.\d]*Z?", "<time>"),
          (r"\b\d+(\.\d+)?( ?m?s\b)", r"<number>\2")]
SECONDS = 300
CARGO = """#!/bin/sh
# `cargo run --bin NAME -- ...` with a program that is built; there is nothing to build or to install.
case $1 in build | install) exit ;; esac
while [ $# -gt 0 ] && [ "$1" != --bin ]; do shift; done
program=$2
shift 2
[ "${1:-}" = -- ] && shift
exec "$program" "$@"
"""


class Stuck(Exception):
    """What keeps a reader from going on."""


def main():
    failed = False
    for guide in sys.argv[1:] or GUIDES:
        try:
            print(f"{guide}: {follow(ROOT / guide)}", flush=True)
        except Stuck as stuck:
            failed = True
            print(f"{guide}:{stuck}\n", flush=True)
    sys.exit(failed)


def follow(page):
    text = page.read_text(encoding="utf-8")
    steps = list(BLOCK.finditer(text))
    if len([step for step in steps if step["hidden"] or step["mark"]]) != text.count("<!-- guide:"):
        raise Stuck(" a comment `guide:` stands before no block")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "home").mkdir()
        (folder / "programs").mkdir()
        script, shown, unrun = plan(text, steps, folder)
        run(text, steps, script, folder)
        ids = {}
        for number, expected in shown:
            compare(place(text, steps[number]), expected, read(folder, number), ids)
    return f"{len(steps) - unrun - len(shown)} blocks did what they say, {len(shown)} outputs are as shown, {unrun} not run"


def plan(text, steps, folder):
    """The script of a document, the outputs that it shows, and how many blocks are left out."""
    script, shown, unrun, last = ["set -euo pipefail"], [], 0, None
    for number, step in enumerate(steps):
        mark, language, body = step["mark"] or "", step["language"], step["hidden"] or dedent(step)
        output, file = folder / f"{number}.out", folder / f"{number}.file"
        previous, last = last, None
        if mark.startswith("not run: "):
            unrun += 1
        elif mark.startswith("same as "):
            compare(place(text, step), (ROOT / mark.removeprefix("same as ")).read_text(encoding="utf-8"), body, {})
        elif mark.startswith("file "):
            file.write_text(body, encoding="utf-8")
            name = shlex.quote(mark.removeprefix("file "))
            script.append(f'mkdir -p "$(dirname {name})"; cp {file} {name}')
        elif mark == "background" and language == "sh":
            script.append(f"echo {number} >{folder}/at\n{{ {body} }} >{output} 2>&1 &\nfor _ in {{1..100}}; do "
                          f"grep -qs '^listening on' {output} && break; sleep 0.1; done; grep -q '^listening on' {output}")
        elif step["hidden"] or (language == "sh" and not mark):
            script.append(f"echo {number} >{folder}/at; exec >{output} 2>&1\n{body}")
            last = number
        elif language == "text" and not mark and previous is not None:
            shown.append((previous, body))
        else:
            raise Stuck(f"{place(text, step)} nobody runs this block: .ci/guides.py says how to mark it\n{step[0]}")
    return "\n".join(script), shown, unrun


def run(text, steps, script, folder):
    programs = {"cargo": folder / "cargo"}
    programs["cargo"].write_text(CARGO, encoding="utf-8")
    programs["cargo"].chmod(0o755)
    for name, variable in {"secmon": "SECMON", "secmon-mock": "SECMON_MOCK"}.items():
        programs[name] = pathlib.Path(os.environ.get(variable, ROOT / "target/release" / name)).resolve()
    for name in ("secmon-contract", "billing-module"):
        places = [programs["secmon"].parent, ROOT / "target/debug", ROOT / "target/release"]
        programs[name] = next((place / name for place in places if (place / name).exists()), places[0] / name)
    for name, program in programs.items():
        if not program.exists():
            raise Stuck(f" {program} is not there: build it, or name another with SECMON and SECMON_MOCK")
        (folder / "programs" / name).symlink_to(program)
    # Go's cache of compiled packages is no part of what a reader has to begin with, and takes a minute to make.
    environment = {"HOME": str(folder / "home"), "PATH": f"{folder}/programs:{os.environ['PATH']}", "CHECKOUT": str(ROOT),
                   "LANG": "C.UTF-8", "GOCACHE": os.environ.get("GOCACHE", os.path.expanduser("~/.cache/go-build"))}
    ended, alive = os.pipe()
    shell = subprocess.Popen([shutil.which("bash"), "-c", script], cwd=folder / "home", env=environment,
                             stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=[alive])
    os.close(alive)
    try:
        code = shell.wait(SECONDS)
    except subprocess.TimeoutExpired:
        code = f"none within {SECONDS} s"
    finally:
        end_servers(shell, ended)
    if code != 0:
        number = int((folder / "at").read_text(encoding="utf-8"))
        step, printed = steps[number], read(folder, number)
        raise Stuck(f"{place(text, step)} exit code {code} of\n{step[0]}\nwhich printed\n{printed}")


def read(folder, number):
    return (folder / f"{number}.out").read_text(encoding="utf-8").replace(str(folder / "home"), "/home/you")


def end_servers(shell, ended):
    """Ends what a document started, and waits until all of it has closed the pipe: the next document needs the port."""
    try:
        os.killpg(shell.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    shell.wait()
    select.select([ended], [], [], 10)
    os.close(ended)


def compare(where, expected, printed, ids):
    """`ids` has the ids that the document has shown so far, each with the one that came in its place."""
    expected, printed = normal(expected), normal(printed)
    pattern, new = "", {}
    for number, part in enumerate(re.split(rf"({ID}|(?m:^\.\.\.\n)|\.\.\.)", expected)):
        if number % 2 == 0 or part in ids:
            pattern += re.escape(ids.get(part, part))
        elif part.startswith("..."):
            pattern += "(?:.*\n)*" if part.endswith("\n") else ".*"
        else:
            pattern += f"(?P={new[part]})" if part in new else f"(?P<n{number}>{ID})"
            new.setdefault(part, f"n{number}")
    found = re.fullmatch(pattern, printed)
    if not found or {found[group] for group in new.values()} & set(ids.values()):
        lines = difflib.unified_diff(expected.splitlines(), printed.splitlines(), "shown", "printed", lineterm="")
        raise Stuck(f"{where} the text that is shown is not what comes\n" + "\n".join(lines))
    ids.update({id: found[group] for id, group in new.items()})


def normal(text):
    for pattern, name in VARIES:
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def dedent(step):
    return re.sub(f"(?m)^{step['indent']}", "", step["body"])


def place(text, step):
    return f"{text.count(chr(10), 0, step.start()) + 1}:"


main()
