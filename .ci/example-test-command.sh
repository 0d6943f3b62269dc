#!/bin/sh
# Stands in for a test command of the guides (`pytest`, `npm test`): provisions a server, and meets a 429 and a full plan.
set -eu
printf 'Authorization: Bearer %s' "$SECMON_API_KEY" >key.header
printf 'Authorization: Bearer %s' "$SECMON_MOCK_ADMIN_KEY" >admin.header
order() {
  curl --silent --header @key.header --output /dev/null --write-out '%{http_code}\n' \
    --data '{"client_id": 7, "ip_address": "203.0.113.7"}' "$SECMON_BASE_URL/api/v1/billing/provision"
}
meet() { # a fault, and the status that it gives
  curl --silent --fail --output /dev/null --header @admin.header --data "$1" "$SECMON_MOCK_ADMIN_URL/_mock/faults"
  [ "$(order)" = "$2" ]
}
meet '{"effect": {"status": 429, "retry_after": null}}' 429
meet '{"effect": {"status": 403, "code": "ENDPOINT_LIMIT_EXCEEDED"}}' 403
[ "$(order)" = 201 ]
