"""The tests that such a module gets on its first day: everything works, nothing goes wrong.

    secmon-mock exec -- python3 contract-tests/recipes/careless/first_day.py
"""

import os
import unittest

from mistakes import chosen

CUSTOMER = 42


class FirstDay(unittest.TestCase):
    def setUp(self):
        self.billing = chosen(os.environ["SECMON_BASE_URL"], os.environ["SECMON_API_KEY"])

    def test_a_server_is_provisioned(self):
        self.billing.provision_server(CUSTOMER, "203.0.113.10")
        self.assertIn("203.0.113.10", [server["ip_address"] for server in self.billing.servers(CUSTOMER)])

    def test_a_server_is_suspended_and_resumed(self):
        server, _ = self.billing.provision_server(CUSTOMER, "203.0.113.11")
        self.billing.change_server("suspend", server)
        self.billing.change_server("resume", server)

    def test_a_domain_is_watched(self):
        self.billing.provision_service(CUSTOMER, 501, "domain_monitoring", quantity=3)
        domain = self.billing.provision_domain(CUSTOMER, 501, "shop.example")
        self.assertEqual(self.billing.summary(CUSTOMER, domain)["domain"], "shop.example")

    def test_a_port_is_allowed(self):
        self.billing.allow_port(CUSTOMER, 443)
        self.assertIn(443, [rule["port_start"] for rule in self.billing.rules(CUSTOMER)])

    def test_alerts_are_shown(self):
        self.assertIsInstance(self.billing.alerts(CUSTOMER), list)


if __name__ == "__main__":
    unittest.main()
