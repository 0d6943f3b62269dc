"""The recipe for CI users of other languages: tests of a billing module against a server of its own.

    secmon-mock exec --deny-notices -- python3 contract-tests/recipes/test_billing.py

`exec` starts a mock on a free port, sets SECMON_BASE_URL, SECMON_API_KEY, SECMON_MOCK_ADMIN_URL and
SECMON_MOCK_ADMIN_KEY, runs the command and ends with its exit code. Nothing here but the standard library.
"""

import json
import os
import threading
import unittest
import urllib.error
import urllib.request

CUSTOMER = 42

# What each test starts with; `--fixtures FILE` takes the same.
FIXTURES = {
    "customers": [
        {
            "id": CUSTOMER,
            "services": [{"id": 501, "product": "port_monitoring", "plan": "professional"}],
            "servers": [{"address": "203.0.113.10", "nickname": "web-1", "open": [22, 443]}],
        }
    ]
}


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

    def provision(self, address):
        body = {"client_id": CUSTOMER, "ip_address": address}
        return send("POST", f"{self.base_url}/api/v1/billing/provision", self.key, body)

    def detail(self, server):
        path = f"/api/v1/endpoints/{server}/detail?billing_customer_id={CUSTOMER}"
        return send("GET", self.base_url + path, self.key)[1]

    def import_servers(self, addresses):
        """In the background, as a queue of orders would."""
        thread = threading.Thread(target=lambda: [self.provision(address) for address in addresses])
        thread.start()
        return thread


class BillingTest(unittest.TestCase):
    def setUp(self):
        # An account for each test: they do not meet, however many run at once. Should the test be killed, the
        # account goes by itself.
        wanted = {"rate_limit": False, "fixtures": FIXTURES, "expires_in": 600}
        status, account = admin("POST", "/_mock/tenants", wanted)
        self.assertEqual(status, 201)
        self.account = account["name"]
        self.billing = Billing(os.environ["SECMON_BASE_URL"], account["api_key"])

    def tearDown(self):
        self.assertEqual(admin("DELETE", f"/_mock/tenants/{self.account}")[0], 204)

    def test_a_server_that_is_there_is_found(self):
        status, answer = self.billing.provision("203.0.113.10")
        self.assertEqual(status, 200)
        self.assertIn("note", answer["data"])

    def test_an_outage_hits_one_order_and_no_other(self):
        fault = {
            "tenant": self.account,
            "operation": "provision_endpoint",
            "match": {"ip_address": "203.0.113.12"},
            "effect": {"status": 503},
        }
        self.assertEqual(admin("POST", "/_mock/faults", fault)[0], 201)
        statuses = [self.billing.provision(f"203.0.113.{number}")[0] for number in (11, 12, 13)]
        self.assertEqual(statuses, [201, 503, 201])

    def test_orders_in_the_background_are_waited_for(self):
        worker = self.billing.import_servers([f"203.0.113.{number}" for number in range(20, 30)])
        wanted = f"tenant={self.account}&path=*/provision&status=201&count=10&wait=10"
        _, journal = admin("GET", f"/_mock/requests?{wanted}")
        self.assertEqual(len(journal["requests"]), 10)
        worker.join()

    def test_a_scan_is_done_a_moment_later(self):
        _, made = self.billing.provision("203.0.113.12")
        admin("POST", f"/_mock/tenants/{self.account}/clock", {"advance_seconds": 2})
        detail = self.billing.detail(made["data"]["endpoint_id"])
        self.assertEqual(detail["latest_scan"]["status"], "completed")


if __name__ == "__main__":
    unittest.main()
