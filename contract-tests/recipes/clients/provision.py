"""The recipe for a Python client generated from the description.

    secmon-mock openapi > openapi.yaml
    openapi-python-client generate --path openapi.yaml --meta none --output-path partner_api
    PYTHONPATH=. secmon-mock exec -- python3 contract-tests/recipes/clients/provision.py
"""

import os

from partner_api import AuthenticatedClient
from partner_api.api.alerts import get_port_alert
from partner_api.api.endpoints import get_endpoint, get_endpoint_detail, list_endpoints
from partner_api.api.provisioning import provision_endpoint, suspend_endpoint, sync_services
from partner_api.models import (
    CapacityReports,
    EndpointIdRequest,
    ProvisionRequest,
    ServiceStatusRequest,
    ServiceStatusRequestProductSlug,
    ServiceStatusRequestStatus,
    SyncServicesRequest,
)

CUSTOMER = 42
UNKNOWN = "00000000-0000-0000-0000-000000000007"

client = AuthenticatedClient(
    base_url=os.environ["SECMON_BASE_URL"], token=os.environ["SECMON_API_KEY"]
)

# Provision three servers, each for a service of the billing system. The same call again finds the server that is there.
servers = []
for number in (10, 11, 12):
    request = ProvisionRequest(client_id=CUSTOMER, ip_address=f"203.0.113.{number}", service_id=500 + number)
    answer = provision_endpoint.sync_detailed(client=client, body=request)
    assert answer.status_code == 201, answer
    servers.append(answer.parsed.data.endpoint_id)
again = provision_endpoint.sync_detailed(client=client, body=request)
assert again.status_code == 200 and again.parsed.data.endpoint_id == servers[-1]
print("provisioned:", again.parsed.data.note)

# Read one of them.
detail = get_endpoint_detail.sync(servers[0], client=client, billing_customer_id=CUSTOMER)
assert detail.data.ip_address == "203.0.113.10"
print("read:", detail.data.nickname, detail.data.created_at.isoformat())

# Page through all of them.
listed, page = [], 1
while True:
    answer = list_endpoints.sync(
        client=client, billing_customer_id=CUSTOMER, per_page=2, page=page
    )
    listed += [server.id for server in answer.data]
    if answer.links.next_ is None:
        break
    page += 1
assert listed == servers, listed
print("paged:", len(listed), "servers on", page, "pages")

# Report the status of a service every night. On most nights nothing changes, and `enforcement` is an empty list; else it
# is a map from the customer to what was paused.
def sync(status):
    service = ServiceStatusRequest(
        service_id=510,
        client_id=CUSTOMER,
        product_slug=ServiceStatusRequestProductSlug.ENDPOINT,
        status=ServiceStatusRequestStatus(status),
    )
    return sync_services.sync(client=client, body=SyncServicesRequest(services=[service])).data


quiet, busy = sync("active"), sync("suspended")
assert (quiet.unchanged, quiet.enforcement, busy.changed) == (1, [], 1), (quiet, busy)
reports = CapacityReports.from_dict(busy.enforcement[str(CUSTOMER)])
print("synced:", quiet.unchanged, "unchanged;", busy.changed, "changed, usage", reports.port_monitoring.usage)

# Meet an error in each of its shapes: with a code, with the wrong fields, with the status as a number.
refused = suspend_endpoint.sync_detailed(client=client, body=EndpointIdRequest(endpoint_id=UNKNOWN))
assert (refused.status_code, refused.parsed.error.code) == (404, "ENDPOINT_NOT_FOUND"), refused
invalid = provision_endpoint.sync_detailed(client=client, body=ProvisionRequest(client_id=CUSTOMER))
fields = list(invalid.parsed.errors.to_dict())
assert (invalid.status_code, fields) == (422, ["ip_address"]), invalid
server = get_endpoint.sync(UNKNOWN, client=client, billing_customer_id=CUSTOMER)
alert = get_port_alert.sync(UNKNOWN, client=client, billing_customer_id=CUSTOMER)
assert (server.error.code, alert.error.code) == (404, 404), (server, alert)
print("refused:", refused.parsed.error.code, fields, server.error.code, alert.error.code)

# Send more than the 60 requests of a minute: the answer says how long to wait.
for _ in range(61):
    answer = suspend_endpoint.sync_detailed(
        client=client, body=EndpointIdRequest(endpoint_id=servers[1])
    )
    if answer.status_code != 200:
        break
assert answer.status_code == 429 and int(answer.headers["retry-after"]) >= 1, answer
print("throttled:", answer.parsed.message)
