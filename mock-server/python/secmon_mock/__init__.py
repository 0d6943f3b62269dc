"""Accounts of a mock for tests: each with its own key, records, clock and faults.

In pytest take the fixture ``secmon_mock`` (``secmon_mock.pytest_plugin``). Elsewhere::

    with Mock.start() as mock:
        account = mock.account()
        ...  # call account.base_url with account.api_key
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["Account", "Clock", "Mock", "MockError"]

# A proxy of the environment is not for the mock.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class MockError(Exception):
    """The mock could not be started, or refused a call that steers it."""


class Mock:
    """A running server."""

    def __init__(self, base_url, admin_url, admin_key=None):
        self.base_url, self.admin_url, self._admin_key = base_url, admin_url, admin_key
        self._process = None

    @classmethod
    def from_environment(cls):
        """The server of ``secmon-mock exec``, or None where there is none."""
        admin_url = os.environ.get("SECMON_MOCK_ADMIN_URL")
        if not admin_url:
            return None
        return cls(os.environ.get("SECMON_BASE_URL", admin_url), admin_url, os.environ.get("SECMON_MOCK_ADMIN_KEY"))

    @classmethod
    def start(cls, *arguments, program=None):
        """Starts a server on a free port of this computer; ``arguments`` are options of ``secmon-mock``."""
        program = program or _program()
        with tempfile.TemporaryDirectory() as folder:
            port_file, log = pathlib.Path(folder, "port"), pathlib.Path(folder, "log")
            command = [program, "--listen", "127.0.0.1:0", "--port-file", str(port_file), *arguments]
            # A variable of the tests, such as SECMON_MOCK_STATE, is not for this server.
            environment = {name: value for name, value in os.environ.items() if not name.startswith("SECMON_MOCK_")}
            with log.open("wb") as output:
                process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            deadline = time.monotonic() + 30
            while not port_file.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    process.wait()
                    raise MockError(f"{program} did not start: {log.read_text(errors='replace').strip()}")
                time.sleep(0.01)
            url = f"http://127.0.0.1:{port_file.read_text().strip()}"
        mock = cls(url, url)
        mock._process = process
        return mock

    def stop(self):
        """Ends the server, if this object started it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def account(self, **options):
        """A fresh account. Options are those of ``POST /_mock/tenants``, such as ``scenario`` or ``fixtures``."""
        made = self.admin("POST", "/_mock/tenants", {"expires_in": 600, **options})
        return Account(self, made["name"], made["api_key"], made["portal_domain"])

    def admin(self, method, path, body=None):
        """A call of the admin API: its JSON, or None where the answer has none."""
        headers = {"Content-Type": "application/json"}
        if self._admin_key:
            headers["Authorization"] = f"Bearer {self._admin_key}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.admin_url + path, data, headers, method=method)
        try:
            with _opener.open(request, timeout=90) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refused:
            with refused:
                raise MockError(f"{method} {path}: {refused.code} {refused.read().decode(errors='replace')}") from None


class Account:
    """An account of its own for one test: ``base_url`` and ``api_key`` are what the program under test needs."""

    def __init__(self, mock, name, api_key, portal_domain):
        self.mock, self.name, self.api_key, self.portal_domain = mock, name, api_key, portal_domain
        self.base_url = mock.base_url
        self.clock = Clock(self)

    def fault(self, effect, **conditions):
        """Makes the next matching call fail, and returns the fault's id.

        ``effect`` is one of docs/testing.md, such as ``{"status": 503}``; conditions are ``operation``, ``method``, ``path``,
        ``match``, ``times``, ``after`` and ``probability``. A fault that cannot hit anything is an error.
        """
        made = self._admin("POST", "/_mock/faults", {"tenant": self.name, "effect": effect, **conditions})
        if made.get("warnings"):
            raise MockError(" ".join(made["warnings"]))
        return made["id"]

    def requests(self, **conditions):
        """The calls so far, oldest first. Conditions are those of ``GET /_mock/requests``: method, path, status, ..."""
        query = urllib.parse.urlencode({"tenant": self.name, **conditions})
        return self._admin("GET", f"/_mock/requests?{query}")["requests"]

    def wait_for(self, method=None, path=None, *, count=1, timeout=10, **conditions):
        """Waits until so many calls have come, and returns them; TimeoutError if they do not."""
        given = {"method": method, "path": path, **conditions}
        given = {name: value for name, value in given.items() if value is not None}
        found = self.requests(count=count, wait=timeout, **given)
        if len(found) < count:
            raise TimeoutError(f"{len(found)} of {count} calls came in {timeout} s ({given or 'any call'})")
        return found

    def notices(self):
        """What the service tolerated and a careful client would not do: one sentence each."""
        return [notice["sentence"] for call in self.requests() for notice in call.get("notices", [])]

    def remove(self):
        """Removes the account with all that it has."""
        self._admin("DELETE", f"/_mock/tenants/{self.name}")

    def _admin(self, method, path, body=None):
        return self.mock.admin(method, path, body)


class Clock:
    """The time of one account."""

    def __init__(self, account):
        self._account = account
        self._path = f"/_mock/tenants/{account.name}/clock"

    def now(self):
        """The account's time, as the API writes times."""
        return self._account.mock.admin("GET", self._path)["now"]

    def advance(self, seconds):
        """Moves time forward. What was due by then has happened when this returns; returns the new time."""
        return self._account.mock.admin("POST", self._path, {"advance_seconds": seconds})["now"]

    def set(self, timestamp):
        """Moves time forward to a moment; returns the new time."""
        return self._account.mock.admin("POST", self._path, {"set": timestamp})["now"]


def _program():
    """SECMON_MOCK, else the program that this package brought, else the one on the path."""
    if os.environ.get("SECMON_MOCK"):
        return os.environ["SECMON_MOCK"]
    beside = shutil.which("secmon-mock", path=str(pathlib.Path(sys.executable).parent))
    found = beside or shutil.which("secmon-mock")
    if not found:
        raise MockError("there is no secmon-mock on the path: install it, or name it in SECMON_MOCK")
    return found
