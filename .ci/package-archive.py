#!/usr/bin/env python3
"""Makes the archive of a release, and SHA256SUMS beside it, in target/package.

    .ci/package-archive.py                          for this computer's platform
    .ci/package-archive.py --target TRIPLE          for another one, linked by cargo-zigbuild; cargo's variable
                                         CARGO_TARGET_TRIPLE_RUNNER names what runs its programs here,
                                         as qemu-aarch64 or wine64
    .ci/package-archive.py --programs FOLDER        from programs that stand there already

In the archive are secmon, secmon-mock and secmon-contract, for each the licences of what is linked into it and an SBOM
(CycloneDX), manual pages and completions of secmon, README, CHANGELOG and the licences. Needs cargo-cyclonedx. Order, owners and times in it follow from the commit, so the same programs give the same bytes.
"""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each with the package that it is of, and the profile that it is built with.
PROGRAMS = {
    "secmon": ("secmon-cli", "dist-cli", []),
    "secmon-mock": ("secmon-mock", "dist", ["--features", "durable"]),
    "secmon-contract": ("secmon-contract-tests", "dist", []),
}
# Where the licences of what is linked into them stand.
NOTICES = {"secmon": "cli", "secmon-mock": "mock-server", "secmon-contract": "contract-tests"}
TEXTS = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"]
COMPLETIONS = {"bash": "secmon.bash", "zsh": "_secmon", "fish": "secmon.fish", "powershell": "secmon.ps1", "elvish": "secmon.elv"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target")
    parser.add_argument("--programs", type=pathlib.Path)
    arguments = parser.parse_args()
    host = output("rustc", "-vV").split("host: ")[1].split("\n")[0]
    target = arguments.target or host
    ending = ".exe" if "windows" in target else ""
    if arguments.programs:
        programs = [arguments.programs / (program + ending) for program in PROGRAMS]
    else:
        programs = list(build(target, host, ending))
    metadata = json.loads(output("cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"))
    version = next(package["version"] for package in metadata["packages"] if package["name"] == "secmon-cli")
    results = pathlib.Path(metadata["target_directory"]) / "package"
    content = results / "content" / f"secmon-{version}-{target}"
    shutil.rmtree(content, ignore_errors=True)
    (content / "completions").mkdir(parents=True)
    for program in programs:
        shutil.copy(program, content)
    for text in TEXTS:
        shutil.copy(ROOT / text, content)
    # Fails where the notices are out of date.
    subprocess.run([sys.executable, ROOT / ".ci/licences.py"], check=True)
    subprocess.run([sys.executable, ROOT / ".ci/licences.py", "--sbom", content / "sbom", target], check=True)
    (content / "notices").mkdir()
    for program, folder in NOTICES.items():
        shutil.copy(ROOT / folder / "NOTICES.txt", content / "notices" / f"{program}.txt")
    runner = os.environ.get(f"CARGO_TARGET_{target.upper().replace('-', '_')}_RUNNER", "").split()
    secmon = [*runner, str((content / f"secmon{ending}").resolve())]
    with tempfile.TemporaryDirectory() as home:
        # What it would read of a user stands in none of this.
        own = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home}
        run = lambda *words: subprocess.run([*secmon, *words], env=own, check=True, capture_output=True, text=True).stdout
        run("man", "--dir", str(content / "man"))
        for shell, name in COMPLETIONS.items():
            (content / "completions" / name).write_text(run("completion", shell), encoding="utf-8", newline="\n")
    moment = int(output("git", "log", "-1", "--format=%ct"))
    print(zipped(content) if ending else tarred(content, moment))
    sums(results)


def build(target, host, ending):
    verb, elsewhere = ("build", []) if target == host else ("zigbuild", ["--target", target])
    folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).joinpath(*elsewhere[1:])
    # One after the other: built together, each would have the features that another one asks for.
    for program, (package, profile, features) in PROGRAMS.items():
        words = ["cargo", verb, "--profile", profile, "--locked", "--package", package, *features, "--bin", program]
        subprocess.run([*words, *elsewhere], cwd=ROOT, check=True)
        yield folder / profile / (program + ending)


def output(*words):
    return subprocess.check_output(words, cwd=ROOT, text=True)


def files(content):
    return sorted(path for path in content.rglob("*") if path.is_file())


def mode(path):
    return 0o755 if path.stem in PROGRAMS and path.parent.name.startswith("secmon-") else 0o644


def tarred(content, moment):
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime, entry.mode = moment, mode(content.parent / entry.name)
        return entry

    archive = content.parent.parent / f"{content.name}.tar.gz"
    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=moment) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in files(content):
                tar.add(path, path.relative_to(content.parent).as_posix(), filter=plain)
    return archive


def zipped(content):
    archive = content.parent.parent / f"{content.name}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files(content):
            packed.writestr(zipfile.ZipInfo(path.relative_to(content.parent).as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return archive


def sums(results):
    made = sorted(path for path in results.iterdir() if path.suffix in (".gz", ".zip", ".deb"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (results / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")


main()
