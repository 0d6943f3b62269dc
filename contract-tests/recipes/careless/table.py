"""What finds each of the nineteen mistakes, as a table:

    SECMON_MOCK=secmon-mock python3 contract-tests/recipes/careless/table.py
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mistakes import MISTAKES

HERE = Path(__file__).parent
MOCK = os.environ.get("SECMON_MOCK", "secmon-mock")
WAYS = {
    "its own tests": ["exec", "--", sys.executable, HERE / "first_day.py"],
    "`--deny-notices`": ["exec", "--deny-notices", "--", sys.executable, HERE / "first_day.py"],
    "`certify --all`": ["certify", "--all", "--", sys.executable, HERE / "play.py"],
}


def finds(way, mistake):
    ran = subprocess.run([MOCK, *way], env={**os.environ, "MISTAKE": mistake}, capture_output=True, check=False)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"{way[0]} with {mistake}: exit code {ran.returncode}: {ran.stderr.decode()}")
    return ran.returncode == 1


def row(mistake):
    return [finds(way, mistake) for way in WAYS.values()]


with ThreadPoolExecutor(6) as pool:
    none, *found = pool.map(row, ["none", *MISTAKES])
if any(none):
    raise SystemExit("the module without a mistake is not let through")
print(f"| mistake | {' | '.join(WAYS)} |\n| --- | {' | '.join('---' for _ in WAYS)} |")
for mistake, marks in zip(MISTAKES, found):
    print(f"| {mistake} | {' | '.join('found' if mark else 'no' for mark in marks)} |")
print(f"| of {len(found)} | {' | '.join(str(sum(column)) for column in zip(*found))} |")
