"""The recipe for Python: datamodel-code-generator generates the data types, and httpx sends the calls.

Run the commands in the top folder of a checkout of this project. The second command writes `partner_models.py`
there. So that Python finds it, set `PYTHONPATH=.` for the last command.

    secmon-mock openapi > openapi.yaml
    datamodel-codegen --input openapi.yaml --input-file-type openapi --output partner_models.py \
      --output-model-type pydantic_v2.BaseModel
    secmon-mock exec -- python3 contract-tests/recipes/clients/datamodel.py
"""

import os

import httpx
import partner_models as models

CUSTOMER = 42
UNKNOWN = "00000000-0000-0000-0000-000000000007"

client = httpx.Client(
    base_url=f"{os.environ['SECMON_BASE_URL']}/api/v1",
    headers={"Authorization": f"Bearer {os.environ['SECMON_API_KEY']}"},
)


def get(path, **query):
    return client.get(path, params={"billing_customer_id": CUSTOMER, **query})


def post(path, request):
    return client.post(path, json=request.model_dump(mode="json", exclude_unset=True))


def read(model, answer, status=200):
    assert answer.status_code == status, answer.text
    return model.model_validate_json(answer.content)


# Provision three servers, each for its own service in the billing system. The last call repeats the one before it, and
# gets the server that exists already.
servers = []
for number in (10, 11, 12, 12):
    request = models.ProvisionRequest(
        client_id=CUSTOMER, ip_address=f"203.0.113.{number}", service_id=500 + number
    )
    answer = post("/billing/provision", request)
    provisioned = read(models.ProvisionedEndpointEnvelope, answer, answer.status_code).data
    if answer.status_code == 201:
        servers.append(provisioned.endpoint_id.root)
    else:
        print("provisioned:", provisioned.note)
assert len(servers) == 3, servers

# Read one of them.
detail = read(models.EndpointDetail, get(f"/endpoints/{servers[0]}/detail")).data
assert detail.ip_address == "203.0.113.10"
print("read:", detail.nickname, detail.created_at.root.isoformat())

# List all of them, two on each page.
listed, page = [], 1
while True:
    answer = read(models.EndpointList, get("/endpoints", per_page=2, page=page))
    listed += [server.id.root for server in answer.data]
    if answer.links.next is None:
        break
    page += 1
assert listed == servers, listed
print("paged:", len(listed), "servers on", page, "pages")


# Report the status of a service, as a billing system does every night. On most nights nothing has changed, and
# `enforcement` is an empty list. Otherwise it is a map: for each customer's number, what the change did to that
# customer.
def sync(status):
    service = models.ServiceStatusRequest(
        service_id=510, client_id=CUSTOMER, product_slug="endpoint", status=status
    )
    answer = post("/billing/sync-services", models.SyncServicesRequest(services=[service]))
    return read(models.SyncReportEnvelope, answer).data


quiet, busy = sync("active"), sync("suspended")
assert (quiet.unchanged, quiet.enforcement, busy.changed) == (1, [], 1), (quiet, busy)
reports = models.CapacityReports.model_validate(busy.enforcement[str(CUSTOMER)])
print("synced:", quiet.unchanged, "unchanged;", busy.changed, "changed, usage", reports.port_monitoring.usage)

# Provoke an error of each shape: with a code, with the names of the wrong fields, and twice with the HTTP status as a
# number, for servers and for alerts.
unknown = post("/billing/suspend", models.EndpointIdRequest(endpoint_id=UNKNOWN))
code = read(models.ErrorEnvelope, unknown, 404).error.code
invalid = post("/billing/provision", models.ProvisionRequest(client_id=CUSTOMER))
fields = list(read(models.ValidationFailureOrError, invalid, 422).errors.root)
server = read(models.BareError, get(f"/endpoints/{UNKNOWN}"), 404).error.code
alert = read(models.NumberedErrorEnvelope, get(f"/alerts/{UNKNOWN}"), 404).error.code
assert (code, fields, server, alert) == ("ENDPOINT_NOT_FOUND", ["ip_address"], 404, 404)
print("refused:", code, *fields, server, alert)

# Send more than the 60 requests that a minute allows. The answer is then 429, and its header `Retry-After` says how
# many seconds to wait.
for _ in range(61):
    answer = post("/billing/suspend", models.EndpointIdRequest(endpoint_id=servers[1]))
    if answer.status_code != 200:
        break
throttled = read(models.ValidationFailure, answer, 429)
assert int(answer.headers["retry-after"]) >= 1, answer.headers
print("throttled:", throttled.message)
