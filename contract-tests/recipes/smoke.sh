#!/bin/sh
# The recipe for CI users of other languages, in its smallest form: any command may stand behind
#
#     secmon-mock exec -- sh contract-tests/recipes/smoke.sh
#
# and finds an address, a key and the admin API in its environment. Its exit code is the recipe's.
set -eu

call() { # method, path, body
  curl --silent --show-error --fail-with-body --request "$1" --header "Authorization: Bearer $SECMON_API_KEY" \
    --data "$3" "$SECMON_BASE_URL$2"
}

call POST /api/v1/billing/provision '{"client_id": 42, "ip_address": "203.0.113.10"}' | grep -q '"status":"active"'
# Waits until the call is in the journal, for five seconds at most.
curl --silent --fail --header "Authorization: Bearer $SECMON_MOCK_ADMIN_KEY" \
  "$SECMON_MOCK_ADMIN_URL/_mock/requests?path=*/provision&count=1&wait=5" | grep -q '/api/v1/billing/provision'
echo "the mock answers, and has noted the call"
