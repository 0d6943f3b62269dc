"""The tests of docs/testing-python.md, which shows this file."""

import json
import threading
import urllib.error
import urllib.request

import pytest


class Module:
    """Stands for your billing module."""

    def __init__(self, account):
        self.url, self.key = account.base_url, account.api_key

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Authorization": f"Bearer {self.key}"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=70) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read())

    def provision(self, address):
        return self.send("POST", "/api/v1/billing/provision", {"client_id": 42, "ip_address": address})

    def open_ports(self, server):
        _, detail = self.send("GET", f"/api/v1/endpoints/{server}/detail?billing_customer_id=42")
        return detail["latest_scan"] and detail["latest_scan"]["open_ports"]


@pytest.fixture
def module(secmon_mock):
    return Module(secmon_mock)


def test_an_outage_hits_one_order(secmon_mock, module):
    secmon_mock.fault({"status": 503}, operation="provision_endpoint", match={"ip_address": "203.0.113.11"})
    statuses = [module.provision(f"203.0.113.{number}")[0] for number in (10, 11, 12)]
    assert statuses == [201, 503, 201]


def test_the_first_scan_takes_two_seconds(secmon_mock, module):
    server = module.provision("203.0.113.10")[1]["data"]["endpoint_id"]
    assert module.open_ports(server) is None
    secmon_mock.clock.advance(2)
    assert module.open_ports(server) == [22, 80, 443, 8080]


def test_a_worker_in_the_background_sends_every_order(secmon_mock, module):
    worker = threading.Thread(target=lambda: [module.provision(f"203.0.113.{n}") for n in range(20, 25)])
    worker.start()
    assert len(secmon_mock.wait_for("POST", "*/provision", count=5, status=201)) == 5
    worker.join()


def test_nothing_careless_was_sent(secmon_mock, module):
    module.provision("203.0.113.10")
    assert secmon_mock.notices() == []
