#!/usr/bin/env python3
"""Checks that the notices of each program name the crates that are linked into it, and can write them and SBOMs.

    .ci/licences.py                          fails where NOTICES.txt of a program is out of date; takes a second
    .ci/licences.py --write                  writes them anew; needs cargo-about, and takes some minutes
    .ci/licences.py --sbom FOLDER [TARGET]   writes PROGRAM.cdx.json (CycloneDX) of each program; needs cargo-cyclonedx

NOTICES.txt has each licence text once, with the crates that it is of. packaging/about.toml says for which platforms, and
which licence is taken where a crate offers several.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ABOUT = ROOT / "packaging" / "about.toml"
# Each with the folder of its package.
PROGRAMS = {"secmon": "cli", "secmon-mock": "mock-server", "secmon-contract": "contract-tests"}


def main():
    match sys.argv[1:]:
        case []:
            check()
        case ["--write"]:
            for program, folder in PROGRAMS.items():
                write(program, folder)
            check()
        case ["--sbom", folder, *target] if len(target) < 2:
            sboms(pathlib.Path(folder), *target)
        case _:
            raise SystemExit(__doc__)


def check():
    stale = False
    for folder in PROGRAMS.values():
        linked, named = crates(folder), set()
        path = ROOT / folder / "NOTICES.txt"
        if path.exists():
            named = set(re.findall(r"^\* (\S+ \S+)", path.read_text(encoding="utf-8"), re.MULTILINE))
        for what, found in (("does not name", linked - named), ("names, and it is not linked:", named - linked)):
            for crate in sorted(found):
                stale = True
                print(f"{folder}/NOTICES.txt {what} {crate}")
    print("write them anew: .ci/licences.py --write" if stale else "the notices name every crate that is linked")
    sys.exit(stale)


def crates(folder):
    """Names and versions of what is linked into a package's program on any of the platforms."""
    # A runner of a pipeline may have a Python without tomllib.
    targets = re.findall(r'"(\S+)"', re.search(r"targets = \[(.*?)\]", ABOUT.read_text(encoding="utf-8"), re.DOTALL)[1])
    words = ["cargo", "tree", "--locked", "--manifest-path", f"{folder}/Cargo.toml", "--all-features", "--edges", "normal", "--prefix", "none",
             "--format", "{p}", *(f"--target={target}" for target in targets)]
    lines = subprocess.check_output(words, cwd=ROOT, text=True).splitlines()
    return {" ".join(line.split()[:2]).replace(" v", " ") for line in lines if line}


def write(program, folder):
    # Without a network every answer is the same: the crates hold their texts.
    words = ["cargo", "about", "generate", "--locked", "--offline", "--fail", "--format", "json",
             "--all-features", "--manifest-path", f"{folder}/Cargo.toml", "--config", str(ABOUT)]
    linked, parts = crates(folder), [f"The crates that {program} is made of, and their licences."]
    for licence in json.loads(subprocess.check_output(words, cwd=ROOT, text=True))["licenses"]:
        # It is a little generous with features.
        users = sorted({f"{crate['name']} {crate['version']}" for crate in (use["crate"] for use in licence["used_by"])} & linked)
        if users:
            text = "\n".join(line.rstrip() for line in licence["text"].strip("\r\n").splitlines())
            parts.append("\n".join([f"{licence['name']} ({licence['id']}) is the licence of", *(f"* {user}" for user in users)]))
            parts.append(text)
    path = ROOT / folder / "NOTICES.txt"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8", newline="\n")


def sboms(results, target="all"):
    results.mkdir(parents=True, exist_ok=True)
    moment = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True).strip()
    with tempfile.TemporaryDirectory() as copy:
        # It writes beside every manifest of the workspace.
        archive = subprocess.check_output(["git", "archive", "HEAD"], cwd=ROOT)
        subprocess.run(["tar", "-x", "-f", "-", "-C", copy], input=archive, check=True)
        words = ["cargo", "cyclonedx", "--quiet", "--format", "json", "--describe", "binaries", "--spec-version", "1.5",
                 "--no-build-deps", "--target", target]
        subprocess.run(words, cwd=copy, env={**os.environ, "SOURCE_DATE_EPOCH": moment}, check=True)
        for program, folder in PROGRAMS.items():
            made = next((pathlib.Path(copy) / folder).glob(f"{program}_bin*.cdx.json"))
            # Where the copy stood says nothing to a reader.
            text = made.read_text(encoding="utf-8").replace(pathlib.Path(copy).as_uri(), "file://")
            assert json.loads(text)["metadata"]["component"]["name"] == program
            (results / f"{program}.cdx.json").write_text(text, encoding="utf-8", newline="\n")


main()
