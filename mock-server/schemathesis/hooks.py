"""What a JSON Schema cannot say about this API, and the check that comes with each exception."""

import schemathesis

# A request that fits its schema may be refused for these: README.md gives the reasons.
FIELDS_BEYOND_A_SCHEMA = {
    "client_email",
    "content",
    "domain",
    "ip_address",
    "plan_slug",
    "new_plan_slug",
    "port_start",
    "port_end",
    "endpoint_id",
    "expires_at",
}
DOCUMENTED_FAILURE = "USER_NOT_FOUND"


def whole(value):
    """The value with 1 for 1.0, which is an integer to JSON Schema and none to this API."""
    match value:
        case float() if value.is_integer() and abs(value) < 2**63:
            return int(value)
        case dict():
            return {name: whole(field) for name, field in value.items()}
        case list():
            return [whole(item) for item in value]
    return value


def apply_strict_rules(value):
    """Puts what stands under `x-strict` in its place, as `strict.rs` does."""
    match value:
        case dict():
            rules = value.pop("x-strict", None)
            if rules is not None and "schema" in value:
                value["schema"] = {"allOf": [value["schema"], rules]}
            elif rules is not None:
                value.update(rules)
            for member in value.values():
                apply_strict_rules(member)
        case list():
            for item in value:
                apply_strict_rules(item)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """What stands under names that generators pass over: the bodies of links, and strict rules."""
    for link in raw_schema["components"]["links"].values():
        if "x-requestBody" in link:
            link["requestBody"] = link.pop("x-requestBody")
    apply_strict_rules(raw_schema)
    # A client is asked for the scope of a rule; the service takes a rule without one.
    rule = raw_schema["components"]["schemas"]["RuleRequest"]
    rule["required"].remove("scope")
    rule["properties"]["scope"] = {"oneOf": [rule["properties"]["scope"], {"type": "null"}]}


@schemathesis.hook
def map_body(context, body):
    return whole(body)


@schemathesis.hook
def filter_body(context, body):
    """What stands in `endpoint_id` is not looked at when the scope of a rule is global."""
    ignored = isinstance(body, dict) and body.get("scope") == "global" and "endpoint_id" in body
    return not ignored or body["endpoint_id"] is None


@schemathesis.hook
def filter_query(context, query):
    """1 and 0 are booleans to this API, and none to JSON Schema."""
    is_new = (query or {}).get("is_new")
    return isinstance(is_new, bool) or is_new not in (1, 0, "1", "0")


@schemathesis.check
def a_fitting_request_is_refused_for_known_reasons_only(ctx, response, case):
    """Where the configuration lets 422 pass, the answer must name a field that no schema can judge."""
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if fits and response.status_code == 422:
        fields = response.json().get("errors", {}).keys()
        assert fields <= FIELDS_BEYOND_A_SCHEMA, f"refused for {sorted(fields)}"


@schemathesis.check
def a_failure_is_the_documented_one(ctx, response, case):
    """Where the configuration lets 500 pass, the answer must carry the documented code."""
    if response.status_code == 500:
        code = response.json()["error"]["code"]
        assert code == DOCUMENTED_FAILURE, f"failed with {code}"
