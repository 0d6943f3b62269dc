"""Lets the billing module play the playbook that it is given:

    secmon-mock certify --all -- python3 contract-tests/recipes/careless/play.py
"""

import json
import os
from datetime import datetime, timedelta, timezone

from mistakes import chosen

CUSTOMER = 42


def server(billing, address):
    return next(found["id"] for found in billing.servers(CUSTOMER) if found["ip_address"] == address)


def domain(billing, name):
    return next(found["id"] for found in billing.domains(CUSTOMER) if found["domain"] == name)


def provision_lifecycle(billing):
    made, _ = billing.provision_server(CUSTOMER, "203.0.113.10")
    for operation in ("suspend", "resume", "terminate"):
        billing.change_server(operation, made)


def capacity_drop(billing):
    billing.shrink(CUSTOMER, 501, 1)


def throttle_storm(billing):
    for number in (11, 12, 13):
        billing.provision_server(CUSTOMER, f"203.0.113.{number}")


def lost_answer(billing):
    billing.allow_port(CUSTOMER, 22)


def scan_cooldown(billing):
    billing.scan(CUSTOMER, server(billing, "203.0.113.14"))


def paging(billing):
    billing.servers(CUSTOMER)


def drift_sync(billing):
    billing.correct(CUSTOMER, 501, "suspended")


def unknown_values(billing):
    billing.alerts(CUSTOMER)
    billing.allow_port(CUSTOMER, 22)


def key_revoked(billing):
    billing.provision_all(CUSTOMER, ["203.0.113.15", "203.0.113.16"])


def upstream_down(billing):
    found = domain(billing, "a.example")
    billing.leaks(CUSTOMER, found)
    billing.summary(CUSTOMER, found)


def double_billing(billing):
    billing.deliver(CUSTOMER, 601, "203.0.113.17")
    billing.deliver_duplicate(CUSTOMER, 601, "203.0.113.17")


def customer_leaves(billing):
    billing.leave(CUSTOMER, {701: "port_monitoring", 702: "domain_monitoring"})


def all_findings(billing):
    billing.all_alerts(CUSTOMER)
    billing.mentions(CUSTOMER, domain(billing, "a.example"))


def lost_change(billing):
    billing.resize(CUSTOMER, 501, 5)


def paused_by_whom(billing):
    billing.resume_domains(CUSTOMER)


def local_expiry(billing):
    billing.allow_port(CUSTOMER, 22, datetime(2030, 6, 30, 23, 59, 59, tzinfo=timezone(timedelta(hours=12))))


name = json.loads(os.environ["SECMON_PLAYBOOK"])["name"]
globals()[name.replace("-", "_")](chosen(os.environ["SECMON_BASE_URL"], os.environ["SECMON_API_KEY"]))
