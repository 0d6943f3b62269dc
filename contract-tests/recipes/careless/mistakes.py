"""Nineteen mistakes that a careless developer makes in a billing module, each in a version of its own.

The variable MISTAKE names one; without it the module is right. `python3 mistakes.py` prints the names.
"""

import os
import time
from datetime import datetime, timedelta

from billing import ATTEMPTS, Billing, Lost, Refused


class AnswerMisread(Billing):
    """Reads the server's id under the name that lists have for it."""

    def provision_server(self, customer, address):
        fields = {"client_id": customer, "ip_address": address}
        status, answer = self.provisioning("provision", **fields)
        return answer["data"]["id"], status == 201


class RequiredMemberMisspelt(Billing):
    def rule_fields(self, customer, port, until=None):
        fields = super().rule_fields(customer, port, until)
        fields["justificaton"] = fields.pop("justification")
        return fields


class AlertsWithoutCustomer(Billing):
    def alerts(self, customer):
        return self.call("GET", "/alerts")[1]["data"]["alerts"]


class OptionalMemberMisspelt(Billing):
    """The customer never gets a name."""

    def provisioning(self, operation, **fields):
        if "client_name" in fields:
            fields["clientname"] = fields.pop("client_name")
        return super().provisioning(operation, **fields)


class ExpiryMisspelt(Billing):
    """The rule never ends."""

    def rule_fields(self, customer, port, until=None):
        fields = super().rule_fields(customer, port, until)
        fields["expires"] = fields.pop("expires_at")
        return fields


class PageSizeMisspelt(Billing):
    """Four times as many calls as needed."""

    def call(self, method, path, query=None, body=None):
        if query and "per_page" in query:
            query = {**query, "page_size": query["per_page"]}
            del query["per_page"]
        return super().call(method, path, query, body)


class CustomerMisspelt(Billing):
    """Everybody's servers."""

    def servers(self, customer):
        return list(self.pages("/endpoints", client_id=customer))


class ServersWithoutCustomer(Billing):
    """Everybody's servers, again."""

    def servers(self, customer):
        return list(self.pages("/endpoints"))


class RulesWithoutCustomer(Billing):
    """A neighbour's rule is taken for the one whose answer was lost."""

    def rules(self, customer):
        return list(self.pages("/whitelists"))


class NoteTakenForFailure(Billing):
    """A repeat that finds everything done is reported as an error."""

    def provisioning(self, operation, **fields):
        status, answer = super().provisioning(operation, **fields)
        if "note" in answer["data"]:
            raise Refused(status, answer)
        return status, answer


class FoundTakenForCreated(Billing):
    """What was there already is charged for, and taken back, as if it were new."""

    def provision_server(self, customer, address):
        server, _ = super().provision_server(customer, address)
        return server, True


class RuleRepeated(Billing):
    """Sends a rule again when its answer is lost."""

    def allow_port(self, customer, port, until=None):
        try:
            self.call("POST", "/whitelists", body=self.rule_fields(customer, port, until))
        except Lost:
            self.call("POST", "/whitelists", body=self.rule_fields(customer, port, until))


class FirstPageOnly(Billing):
    def pages(self, path, **query):
        return self.call("GET", path, {**query, "per_page": self.PAGE_SIZE})[1]["data"]


class PauseUnread(Billing):
    """Resumes what the platform paused for want of capacity."""

    def is_paused_by_the_platform(self, record):
        return False


class LimitByHeart(Billing):
    """A page has a hundred records where nothing is said: a shorter one is the last."""

    def pages(self, path, **query):
        page, found = 1, None
        while found is None or len(found) == 100:
            found = self.call("GET", path, {**query, "page": page})[1]["data"]
            yield from found
            page += 1


class NaiveTimes(Billing):
    """Takes the service's times for those of the clock on the wall in Auckland, and the cooldown for over."""

    def scan(self, customer, server):
        for _ in range(ATTEMPTS):
            _, answer = self.call("GET", f"/endpoints/{server}", {"billing_customer_id": customer})
            last = datetime.fromisoformat(answer["data"]["last_scan_at"][:19])
            over = last + timedelta(seconds=answer["data"]["nmap_cooldown_seconds"])
            here = datetime.fromtimestamp(time.time() + 12 * 3600)
            if here < over:
                time.sleep((over - here).total_seconds())
            body = {"client_id": customer, "endpoint_id": server}
            status, _, _ = self.send("POST", "/billing/scan-endpoint", None, body)
            if status == 202:
                return
        raise Refused(status, None)


class RetryAfterIgnored(Billing):
    def pause(self, headers, answer):
        return 0.1


class RefusedKeyUsedAgain(Billing):
    def provision_all(self, customer, addresses):
        for address in addresses:
            try:
                self.provision_server(customer, address)
            except Refused as refused:
                print(f"{address}: {refused.status}")
        self.provision_server(customer, addresses[-1])


class NewSeverityUnknown(Billing):
    def urgency(self, alert):
        return self.SEVERITIES[alert["severity"]]


MISTAKES = {made.__name__: made for made in Billing.__subclasses__()}


def chosen(base_url, key):
    """The module, with the mistake that the environment names."""
    return MISTAKES.get(os.environ.get("MISTAKE"), Billing)(base_url, key)


if __name__ == "__main__":
    print("\n".join(MISTAKES))
