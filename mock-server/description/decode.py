"""Decodes recorded answers with the generated client: any exception ends it.

Its arguments are recordings that `record.py` wrote.
"""

import importlib
import json
import pkgutil
import sys

import httpx
import partner_api.api

def operations():
    """The generated modules by the name of their operation."""
    found = pkgutil.walk_packages(partner_api.api.__path__, "partner_api.api.")
    return {name.rsplit(".", 1)[1]: name for _, name, package in found if not package}


modules = operations()
client = partner_api.Client(base_url="https://portal.acme.example")
for recording in sys.argv[1:]:
    decoded, met = 0, set()
    for line in open(recording, encoding="utf-8"):
        kept = json.loads(line)
        name, status, body = kept["operation"], kept["status"], kept["body"]
        if status != 204 and not body.startswith("{"):
            continue  # A fault made it up.
        module = importlib.import_module(modules[name])
        answer = httpx.Response(status, content=body.encode())
        try:
            module._parse_response(client=client, response=answer)
        except Exception:
            print(line, file=sys.stderr)
            raise
        decoded += 1
        met.add(name)
    print(f"Python: {decoded} answers of {len(met)} operations decoded")
