#!/usr/bin/env python3
"""Makes npm packages of secmon and secmon-mock in target/package. Needs npm.

    .ci/package-npm.py               from what .ci/package-archive.py left in target/package/content
    .ci/package-npm.py ARCHIVE...    from these archives of .ci/package-archive.py, one a platform

For each program: a package that holds it for one platform, and the one that people install, which starts the program of
their platform. That of the mock also has a helper for tests, with types.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NODE = ROOT / "packaging" / "node"
RESULTS = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "package"
# What npm calls a platform, by what is in the name of Rust's.
SYSTEMS = {"linux": "linux", "darwin": "darwin", "windows": "win32"}
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
PROGRAMS = {
    "secmon": "Command line for a white-label security-monitoring service",
    "secmon-mock": "Stateful mock of a white-label security-monitoring service",
}
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]


def main():
    content = RESULTS / "content"
    for archive in sys.argv[1:]:
        shutil.unpack_archive(archive, content)
    contents = sorted(content.glob("secmon-*"))
    if not contents:
        raise SystemExit("run .ci/package-archive.py first")
    for program, description in PROGRAMS.items():
        platforms = {}
        for content in contents:
            _, version, triple = content.name.split("-", 2)
            platforms[platform_package(program, description, version, triple, content)] = version
        starter(program, description, platforms)


def platform_package(program, description, version, triple, content):
    system = next(name for part, name in SYSTEMS.items() if part in triple)
    processor = next(name for part, name in PROCESSORS.items() if part in triple)
    name = f"@secmon/{program}-{system}-{processor}"
    executable = program + (".exe" if system == "win32" else "")
    manifest = {"name": name, "version": version, "description": f"{description}, for {system} on {processor}",
                "os": [system], "cpu": [processor]}
    packed(manifest, {executable: content / executable, "NOTICES.txt": content / "notices" / f"{program}.txt",
                      "sbom.cdx.json": content / "sbom" / f"{program}.cdx.json"})
    return name


def starter(program, description, platforms):
    version = next(iter(platforms.values()))
    manifest = {"name": program, "version": version, "description": description, "bin": {program: "start.js"},
                "engines": {"node": ">=18"}, "optionalDependencies": platforms}
    files = ["start.js", "program.js"]
    if program == "secmon-mock":
        manifest |= {"main": "index.js", "types": "index.d.ts"}
        files += ["index.js", "index.d.ts"]
    packed(manifest, {name: NODE / name for name in files})


def packed(manifest, files):
    files |= {text: ROOT / text for text in LICENCES}
    # npm leaves out whatever is not named here, licence texts of these names too.
    manifest |= {"license": "MIT OR Apache-2.0", "files": sorted(files)}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
        for name, source in files.items():
            shutil.copy(source, folder / name)
            (folder / name).chmod(0o755 if name == "start.js" or name.removesuffix(".exe") in PROGRAMS else 0o644)
        subprocess.run(["npm", "pack", "--silent", "--pack-destination", str(RESULTS.resolve())], cwd=folder, check=True)


main()
