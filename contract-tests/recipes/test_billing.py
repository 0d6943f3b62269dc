"""The recipe for CI users of other languages: tests of a billing module against a server of its own.

    secmon-mock exec -- python3 -m unittest contract-tests/recipes/test_billing.py

`exec` starts a mock on a free port, sets SECMON_BASE_URL, SECMON_API_KEY, SECMON_MOCK_ADMIN_URL and
SECMON_MOCK_ADMIN_KEY, runs the command and ends with its exit code. Nothing here but the standard library.
"""

import json
import os
import unittest
import urllib.error
import urllib.request


def send(method, address, key, body=None):
    """Status and JSON of a call."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, method=method)
    request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read() or b"null")


def admin(method, path, body=None):
    """A call that steers the mock."""
    address = os.environ["SECMON_MOCK_ADMIN_URL"] + path
    return send(method, address, os.environ["SECMON_MOCK_ADMIN_KEY"], body)


class Billing:
    """Stands for the module under test."""

    def __init__(self, base_url, key):
        self.base_url, self.key = base_url, key

    def call(self, name, **fields):
        return send("POST", f"{self.base_url}/api/v1/billing/{name}", self.key, fields)


class BillingTest(unittest.TestCase):
    def setUp(self):
        # An account for each test: they do not meet, however many run at once.
        status, account = admin("POST", "/_mock/tenants", {"rate_limit": False})
        self.assertEqual(status, 201)
        self.account = account["name"]
        self.billing = Billing(os.environ["SECMON_BASE_URL"], account["api_key"])

    def tearDown(self):
        self.assertEqual(admin("DELETE", f"/_mock/tenants/{self.account}")[0], 204)

    def test_a_server_is_provisioned_once(self):
        first = self.billing.call("provision", client_id=42, ip_address="203.0.113.10")
        again = self.billing.call("provision", client_id=42, ip_address="203.0.113.10")
        self.assertEqual((first[0], again[0]), (201, 200))
        self.assertEqual(first[1]["data"]["endpoint_id"], again[1]["data"]["endpoint_id"])

    def test_an_outage_is_told_apart_from_a_refusal(self):
        outage = {"tenant": self.account, "path": "*/provision", "effect": {"status": 503}}
        admin("POST", "/_mock/faults", outage)
        status, _ = self.billing.call("provision", client_id=42, ip_address="203.0.113.11")
        self.assertEqual(status, 503)
        status, _ = self.billing.call("provision", client_id=42, ip_address="203.0.113.11")
        self.assertEqual(status, 201)

    def test_a_scan_is_done_a_moment_later(self):
        _, made = self.billing.call("provision", client_id=42, ip_address="203.0.113.12")
        admin("POST", f"/_mock/tenants/{self.account}/clock", {"advance_seconds": 2})
        path = f"/api/v1/endpoints/{made['data']['endpoint_id']}/detail"
        _, detail = send("GET", self.billing.base_url + path, self.billing.key)
        self.assertEqual(detail["latest_scan"]["status"], "completed")


class Certification(unittest.TestCase):
    """A playbook prepares an account with some trouble, and judges what the module made of it."""

    def test_the_module_lives_through_a_servers_life(self):
        _, play = admin("POST", "/_mock/playbooks", {"name": "provision-lifecycle"})
        billing = Billing(play["base_url"], play["api_key"])
        _, made = billing.call("provision", client_id=42, ip_address="203.0.113.10")
        for step in ("suspend", "resume", "terminate"):
            billing.call(step, endpoint_id=made["data"]["endpoint_id"])
        _, judged = admin("GET", f"/_mock/playbooks/{play['id']}?finished=1")
        self.assertEqual(judged, {"verdict": "passed", "findings": []})


if __name__ == "__main__":
    unittest.main()
