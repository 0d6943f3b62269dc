#!/usr/bin/env python3
"""Checks the documentation against the repository.

    .ci/document-references.py      prints what is broken, and fails if anything is

Every test that docs/threats.md and CONTRIBUTING.md name must exist. docs/error-codes.md must have every code that the
client knows.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST = re.compile(r"#\[(?:tokio::)?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:async )?fn (\w+)")
# The contract suite lists its checks by name.
CHECKS = re.compile(r"checks! \{(.*?)^\}", re.MULTILINE | re.DOTALL)


def main():
    names = subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, text=True)
    files = [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]
    broken = [*missing_tests([file for file in files if file.suffix == ".rs"]), *missing_codes()]
    print("\n".join(broken) or "the tests that are named exist, and every error code is explained")
    sys.exit(bool(broken))


def missing_codes():
    known = (ROOT / "sdk/src/error/code.rs").read_text(encoding="utf-8")
    explained = (ROOT / "docs/error-codes.md").read_text(encoding="utf-8")
    codes = re.findall(r'^ +\w+ = "([A-Z_]+)",$', known, re.MULTILINE)
    if len(codes) < 20:
        yield "sdk/src/error/code.rs: hardly any code was found"
    yield from (f"docs/error-codes.md: {code} is not explained" for code in codes if f"`{code}`" not in explained)


def missing_tests(sources):
    tests = set()
    for source in sources:
        text = source.read_text(encoding="utf-8")
        tests.update(TEST.findall(text))
        for listed in CHECKS.findall(text):
            tests.update(re.findall(r"^ +(\w+)\(", listed, re.MULTILINE))
    for page in ("docs/threats.md", "CONTRIBUTING.md"):
        # A name of three words or more is that of a test.
        named = re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+){2,})`", (ROOT / page).read_text(encoding="utf-8"))
        if len(named) < 10:
            yield f"{page}: names hardly any test"
        yield from (f"{page}: there is no test {name}" for name in named if name not in tests)


main()
