#!/usr/bin/env python3
"""Makes a release of GitLab's for the tag of this pipeline, with files of the project's package registry.

    .ci/gitlab-release.py FILE...

A job of a pipeline has what it needs in its environment: CI_API_V4_URL, CI_PROJECT_ID, CI_COMMIT_TAG, CI_JOB_TOKEN. A file
that was uploaded before is uploaded again, and a release that exists is an error.
"""

import json
import os
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    if not files:
        raise SystemExit("name the files")
    tag = os.environ["CI_COMMIT_TAG"]
    links = []
    for file in files:
        path = f"packages/generic/secmon/{urllib.parse.quote(tag.removeprefix('v'))}/{urllib.parse.quote(file.name)}"
        send("PUT", path, "application/octet-stream", file.read_bytes())
        links.append({"name": file.name, "url": address(path), "link_type": "package"})
        print(file.name)
    release = {"tag_name": tag, "name": tag, "assets": {"links": links},
               "description": "What is in it: CHANGELOG.md. Compare what you download with SHA256SUMS."}
    send("POST", "releases", "application/json", json.dumps(release).encode())
    print(f"release {tag} with {len(links)} files")


def address(path):
    return f"{os.environ['CI_API_V4_URL']}/projects/{os.environ['CI_PROJECT_ID']}/{path}"


def send(method, path, kind, body):
    headers = {"JOB-TOKEN": os.environ["CI_JOB_TOKEN"], "Content-Type": kind}
    request = urllib.request.Request(address(path), body, headers, method=method)
    try:
        urllib.request.urlopen(request, timeout=600).close()
    except urllib.error.HTTPError as refused:
        raise SystemExit(f"{method} {path}: {refused.code} {refused.read().decode(errors='replace')}") from None


main()
