"""A small billing module that does what its playbooks ask for. `mistakes.py` has nineteen careless versions of it."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

ATTEMPTS = 5


class Refused(Exception):
    """The service said no."""

    def __init__(self, status, answer):
        super().__init__(f"refused with {status}: {answer}")
        self.status, self.answer = status, answer or {}


class Lost(Exception):
    """No answer came: nobody knows whether the call was carried out."""


class Billing:
    HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
    PAGE_SIZE = 100
    SEVERITIES = {"critical": 1, "high": 2, "medium": 3, "low": 4}

    def __init__(self, base_url, key):
        self.base_url, self.key = base_url, key

    # How a call is sent.

    def send(self, method, path, query, body):
        """Status, headers and JSON of one call."""
        address = f"{self.base_url}/api/v1{path}"
        if query:
            address += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.HEADERS, "Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as refused:
            return refused.code, refused.headers, json.loads(refused.read() or b"null")
        except OSError as error:
            raise Lost(method + " " + path) from error

    def call(self, method, path, query=None, body=None):
        """Waits as long as the service asks for, and raises what it refuses."""
        for _ in range(ATTEMPTS):
            status, headers, answer = self.send(method, path, query, body)
            if status != 429:
                break
            time.sleep(self.pause(headers, answer))
        if status >= 400:
            raise Refused(status, answer)
        return status, answer

    def pause(self, headers, answer):
        details = answer.get("error", {}).get("details") or {}
        return details.get("retry_after_seconds") or int(headers["Retry-After"])

    def provisioning(self, operation, **fields):
        """These may be sent again after a lost answer: the second finds what the first did."""
        try:
            return self.call("POST", f"/billing/{operation}", body=fields)
        except Lost:
            return self.call("POST", f"/billing/{operation}", body=fields)

    def pages(self, path, **query):
        """Every record of a list."""
        page = 1
        while True:
            _, answer = self.call("GET", path, {**query, "per_page": self.PAGE_SIZE, "page": page})
            yield from answer["data"]
            if answer["links"]["next"] is None:
                return
            page += 1

    def numbered_pages(self, path, members, customer, size):
        """Every record of a list that tells its number of pages in its data."""
        page, last = 1, 1
        while page <= last:
            query = {"billing_customer_id": customer, "per_page": size, "page": page}
            data = self.call("GET", path, query)[1]["data"]
            yield from data[members]
            page, last = page + 1, data["last_page"]

    # What the rest of the billing system uses.

    def provision_server(self, customer, address):
        """The server's id, and whether it is new."""
        fields = {"client_id": customer, "ip_address": address, "client_name": f"Customer {customer}"}
        status, answer = self.provisioning("provision", **fields)
        return answer["data"]["endpoint_id"], status == 201

    def provision_service(self, customer, service, product, **size):
        fields = {"client_id": customer, "service_id": service, "product_slug": product}
        return self.provisioning("provision-subscription", **fields, **size)

    def provision_domain(self, customer, service, name):
        _, answer = self.provisioning("provision-domain", client_id=customer, service_id=service, domain=name)
        return answer["data"]["monitored_domain_id"]

    def change_server(self, operation, server):
        self.provisioning(operation, endpoint_id=server)

    def servers(self, customer):
        return list(self.pages("/endpoints", billing_customer_id=customer))

    def domains(self, customer):
        return self.call("GET", "/domains", {"billing_customer_id": customer})[1]["data"]["domains"]

    def rules(self, customer):
        return list(self.pages("/whitelists", billing_customer_id=customer))

    def rule_fields(self, customer, port, until=None):
        until = until or datetime.now(timezone.utc) + timedelta(days=90)
        return {
            "billing_customer_id": customer,
            "port_start": port,
            "protocol": "tcp",
            "scope": "global",
            "justification": "Asked for by the customer.",
            "expires_at": until.isoformat(timespec="seconds"),
        }

    def allow_port(self, customer, port, until=None):
        """A rule must not be made twice: after a lost answer the rules are read."""
        try:
            self.call("POST", "/whitelists", body=self.rule_fields(customer, port, until))
        except Lost:
            if not any(rule["port_start"] == port for rule in self.rules(customer)):
                raise

    def alerts(self, customer):
        """Open alerts, worst first; a severity that is new to us comes first."""
        _, answer = self.call("GET", "/alerts", {"billing_customer_id": customer})
        return sorted(answer["data"]["alerts"], key=self.urgency)

    def all_alerts(self, customer):
        return list(self.numbered_pages("/alerts", "alerts", customer, self.PAGE_SIZE))

    def mentions(self, customer, domain):
        return list(self.numbered_pages(f"/domains/{domain}/dark-web-mentions", "mentions", customer, 50))

    def urgency(self, alert):
        return self.SEVERITIES.get(alert["severity"], 0)

    def scan(self, customer, server):
        self.call("POST", "/billing/scan-endpoint", body={"client_id": customer, "endpoint_id": server})

    def leaks(self, customer, domain):
        """The leaks of a domain, or none while they cannot be told."""
        try:
            _, answer = self.call("GET", f"/domains/{domain}/credential-leaks", {"billing_customer_id": customer})
        except Refused as refused:
            if refused.status != 503:
                raise
            return None
        return answer["data"]["items"]

    def summary(self, customer, domain):
        return self.call("GET", f"/domains/{domain}/summary", {"billing_customer_id": customer})[1]["data"]

    def deliver(self, customer, service, address):
        """What an order asks for. An order may be delivered twice: the server is charged for once."""
        self.provision_service(customer, service, "port_monitoring", plan_slug="starter")
        server, is_new = self.provision_server(customer, address)
        return server if is_new else None

    def deliver_duplicate(self, customer, service, address):
        """The duplicate of an order: what it made beside the first is taken back."""
        server = self.deliver(customer, service, address)
        if server:
            self.change_server("terminate", server)

    def provision_all(self, customer, addresses):
        """Stops where the key is refused: every further call would be."""
        for address in addresses:
            try:
                self.provision_server(customer, address)
            except Refused as refused:
                if refused.status == 401:
                    return
                raise

    def shrink(self, customer, service, quantity):
        """Gives up the newest domains, then the slots."""
        active = [domain for domain in self.domains(customer) if domain["status"] == "active"]
        for domain in active[quantity:]:
            self.provisioning("terminate-domain", monitored_domain_id=domain["id"])
        fields = {"client_id": customer, "service_id": service, "product_slug": "domain_monitoring"}
        self.provisioning("change-subscription", **fields, new_quantity=quantity)

    def resize(self, customer, service, quantity):
        """A change must not be sent twice: after a lost answer the slots are read."""
        fields = {"client_id": customer, "service_id": service, "product_slug": "domain_monitoring"}
        try:
            self.call("POST", "/billing/change-subscription", body={**fields, "new_quantity": quantity})
        except Lost:
            answer = self.call("GET", "/domains", {"billing_customer_id": customer})[1]
            if answer["data"]["slots_total"] != quantity:
                raise

    def correct(self, customer, service, status):
        """Reports what our books say of a service, then resumes domains that somebody paused by mistake."""
        reported = {"client_id": customer, "service_id": service, "product_slug": "domain_monitoring", "status": status}
        self.provisioning("sync-services", services=[reported])
        self.resume_domains(customer)

    def resume_domains(self, customer):
        """Resumes what was paused by hand; what the platform paused comes back when there is a slot for it."""
        for domain in self.domains(customer):
            if domain["status"] == "paused" and not self.is_paused_by_the_platform(domain):
                self.provisioning("resume-domain", monitored_domain_id=domain["id"])

    def is_paused_by_the_platform(self, record):
        return record["quota_paused"]

    def leave(self, customer, services):
        """Ends everything of a customer."""
        for server in self.servers(customer):
            self.change_server("terminate", server["id"])
        for domain in self.domains(customer):
            self.provisioning("terminate-domain", monitored_domain_id=domain["id"])
        for service, product in services.items():
            fields = {"client_id": customer, "service_id": service, "product_slug": product}
            self.provisioning("terminate-subscription", **fields)
