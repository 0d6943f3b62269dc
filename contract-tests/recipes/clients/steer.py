"""The recipe for tests that control the mock. One client is generated from the description of the partner API, another
from the description of the mock's own admin calls.

Run the commands in the top folder of a checkout of this project. For the second command, `curl`, start a mock in
another terminal: `secmon-mock`.

    secmon-mock openapi > openapi.yaml
    curl http://127.0.0.1:4010/_mock/openapi.json > openapi-mock.json
    openapi-python-client generate --path openapi.yaml --meta none --output-path partner_api
    openapi-python-client generate --path openapi-mock.json --meta none --output-path mock_api
    PYTHONPATH=. secmon-mock exec -- python3 contract-tests/recipes/clients/steer.py
"""

import os

import mock_api
import partner_api
from mock_api.api.accounts import make_tenant, move_tenant_clock, remove_tenant
from mock_api.api.faults import place_fault
from mock_api.api.journal import list_requests
from mock_api.models import ClockMovement, FaultEffect, FaultRequest, FaultRequestMatch, TenantOptions
from partner_api.api.endpoints import get_endpoint_detail
from partner_api.api.provisioning import provision_endpoint
from partner_api.models import ProvisionRequest

admin = mock_api.AuthenticatedClient(
    base_url=os.environ["SECMON_MOCK_ADMIN_URL"], token=os.environ["SECMON_MOCK_ADMIN_KEY"]
)

# Make an account that is only for this test.
account = make_tenant.sync(client=admin, body=TenantOptions(rate_limit=False))
client = partner_api.AuthenticatedClient(
    base_url=os.environ["SECMON_BASE_URL"], token=account.api_key
)

# The first call for this server gets an outage, 503. The second one does not, and a call for another server would not
# either.
outage = FaultEffect(status=503, code="SCANNING_UNAVAILABLE", retry_after=None)
server = FaultRequestMatch.from_dict({"ip_address": "203.0.113.10"})
fault = FaultRequest(
    tenant=account.name, operation="provision_endpoint", match=server, effect=outage
)
assert place_fault.sync_detailed(client=admin, body=fault).status_code == 201
request = ProvisionRequest(client_id=42, ip_address="203.0.113.10")
first = provision_endpoint.sync_detailed(client=client, body=request)
second = provision_endpoint.sync_detailed(client=client, body=request)
assert (first.status_code, second.status_code) == (503, 201), (first, second)

# Move the account's clock two seconds ahead. The first scan is then complete.
time = move_tenant_clock.sync(account.name, client=admin, body=ClockMovement(advance_seconds=2))
detail = get_endpoint_detail.sync(
    second.parsed.data.endpoint_id, client=client, billing_customer_id=42
)
assert detail.latest_scan.status == "completed" and detail.latest_scan.open_ports, detail
print("scanned by", time.now.isoformat(), "open:", *detail.latest_scan.open_ports)

# The journal lists the calls that the mock got. With `count` and `wait` it answers as soon as three have come, and
# after five seconds at the latest, so a program may also send its calls in the background.
calls = list_requests.sync(client=admin, tenant=account.name, count=3, wait=5).requests
print("sent:", *(f"{call.method} {call.status}" for call in calls))
assert [call.status for call in calls] == [503, 201, 200]

assert remove_tenant.sync_detailed(account.name, client=admin).status_code == 204
