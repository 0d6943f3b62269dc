#!/usr/bin/env python3
"""Holds each member's `rust-version` against the packages it is built from: none of them may declare a newer compiler.

    .ci/rust-version.py      prints, for each member, its version and the package that asks for the newest compiler

What the code itself uses is not seen here: clippy's `incompatible_msrv` judges names of the standard library.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--all-features"]
    metadata = json.loads(subprocess.check_output(command, cwd=ROOT))
    packages = {package["id"]: package for package in metadata["packages"]}
    uses = {node["id"]: node["dependencies"] for node in metadata["resolve"]["nodes"]}
    wrong = False
    for member in metadata["workspace_members"]:
        declared = packages[member]["rust_version"]
        if declared is None:
            sys.exit(f"{packages[member]['name']} declares no rust-version")
        below = (packages[package] for package in sorted(all_below(member, uses)))
        newest = max(below, key=lambda package: (version(package), package["source"] is not None))
        fits = version(newest) <= version(packages[member])
        wrong |= not fits
        print(
            f"{packages[member]['name']} {declared}: {newest['name']} {newest['version']} asks for "
            f"{newest['rust_version']}{'' if fits else ', which is newer'}"
        )
    sys.exit(wrong)


def all_below(member, uses):
    """What the member is built and tested from, however far down, for every platform and with all features."""
    found, left = set(), list(uses[member])
    while left:
        package = left.pop()
        if package not in found:
            found.add(package)
            left += uses[package]
    return found


def version(package):
    """A package that declares nothing fits everywhere."""
    numbers = [int(number) for number in (package["rust_version"] or "0").split(".")]
    return numbers + [0] * (3 - len(numbers))


main()
