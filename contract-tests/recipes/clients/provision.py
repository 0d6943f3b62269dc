"""The recipe for a Python client generated from the description.

    secmon-mock openapi > openapi.yaml
    openapi-python-client generate --path openapi.yaml --meta none --output-path partner_api
    PYTHONPATH=. secmon-mock exec -- python3 contract-tests/recipes/clients/provision.py
"""

import os

from partner_api import AuthenticatedClient
from partner_api.api.endpoints import get_endpoint_detail, list_endpoints
from partner_api.api.provisioning import provision_endpoint, suspend_endpoint
from partner_api.models import EndpointIdRequest, ErrorEnvelope, ProvisionRequest

CUSTOMER = 42

client = AuthenticatedClient(
    base_url=os.environ["SECMON_BASE_URL"], token=os.environ["SECMON_API_KEY"]
)

# Provision three servers. Sent again, the call finds the server that is there.
servers = []
for number in (10, 11, 12):
    request = ProvisionRequest(client_id=CUSTOMER, ip_address=f"203.0.113.{number}")
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

# Meet an error, and tell it by its code.
unknown = EndpointIdRequest(endpoint_id="00000000-0000-0000-0000-000000000007")
refused = suspend_endpoint.sync_detailed(client=client, body=unknown)
assert refused.status_code == 404 and isinstance(refused.parsed, ErrorEnvelope)
assert refused.parsed.error.code == "ENDPOINT_NOT_FOUND"
print("refused:", refused.parsed.error.code)
