# What bends and variants share.
#
# A call is {method, path, query: [[name, value], ...], headers, body, text}, an answer {status, headers, body, text}, and null
# an answer that did not come. `body` is the JSON object, null where there is none, `text` what was written; what a program
# leaves as it is goes on byte for byte, and else the text stands for a `body` of null. A header of several lines is a list.
# Everywhere `$call` is the call as it came.
#
# Besides jq's own:
#   send                     sends the input, a call, to the service and gives its answer
#   is("POST */suspend")     whether the input is such a call; patterns are those of `on`
#   exchange($name; $value)  keeps a value from one call to the next, and gives what was kept before
#   recall($name)            what is kept
#   count($name; $by)        adds to a kept number, and gives what it is then
#   gather($name; $many)     waits until so many are counted, or nobody more comes; gives how many there are
#   acts                     counts as a difference, where no message is another

# Calls.

def header($name): [.headers[$name]] | flatten[0] // "";

def account: header("authorization");

# A parameter of the query, the last of its name; null when there is none.
def asked($name): [.query[] | select(.[0] == $name)[1]][-1];

def forget($name): .query |= map(select(.[0] != $name));

# Changes a parameter where there is one.
def parameter($name; f): (.query[] | select(.[0] == $name) | .[1]) |= f;

# Changes a member of the body where there is one.
def change($name; f): if .body // {} | has($name) then .body[$name] |= f end;

def is_integer: isnumber and (tostring | test("^-?[0-9]+$"));

# The customer that a call names, in body or query.
def customer:
  [.body | (.billing_customer_id, .client_id) | select(is_integer)][0] // asked("billing_customer_id") // "" | tostring;

# Whether it makes a record, or a service.
def creates:
  is("POST /api/v1/endpoints, POST {provisioning}/provision, POST {provisioning}/provision-domain, POST {provisioning}/provision-subscription");

# Memory.

def keep($name; $value): exchange($name; $value) as $before | .;

def first_time($name): exchange($name; true) == null;

# A name that belongs to the caller's account.
def mine($kind; $of): "\($kind) \($of) \(account)";

# An id that the service never gave.
def made_up: "51ba9c01-77a2-4e0c-8f10-" + ("00000000000\(count("made up"; 1))"[-12:]);

# Sends a call with all that come at the same moment: its answer, and how many they are.
def among($room):
  count($room; 1) as $in | gather($room; 8) as $together
  | send as $answer | count($room; -1) as $out | {$together, $answer};

# Calls of one's own, by the same caller.

def told($method; $path; $body): {$method, $path, $body, query: [], headers} | send;

def tell($path; $body): told("POST"; $path; $body);

def put($path; $body): told("PUT"; $path; $body);

# What a GET is answered.
def ask($path; $query): {method: "GET", $path, headers, query: ($query | to_entries | map([.key, "\(.value)"]))} | send.body;

# Times, in seconds since 1970.

def hour: 3600;
def day: 24 * hour;
def cooldown: 300;

def seconds: (fromdate | floor)? // null;
def instant: strftime("%Y-%m-%dT%H:%M:%S+00:00");

# A time so much later, if it is one.
def later($by): if seconds then seconds + $by | instant end;

# When an answer was given; 0 when it does not say.
def told_at: (.body.meta.timestamp? | seconds) // 0;

# The time by the account's clock.
def clock: ask("/api/v1/whitelists/endpoint-summary"; {billing_customer_id: 1}).meta.timestamp | seconds;

# Gives a customer its portal account, by a server that is deleted at once.
def give_access:
  tell("/api/v1/endpoints"; {billing_customer_id: (customer | tonumber? // 1), ip_address: "192.0.2.253"}) as $made
  | told("DELETE"; "/api/v1/endpoints/\($made.body.data.id)"; null);

# Answers.

def done: .status >= 200 and .status < 300;

# The code of a refusal.
def code: .body.error.code? // "";

# Whether it is a success with a note.
def noted: done and (.body.data.note? // null) != null;

# Whether a refusal names some of these fields and no other.
def only($fields): (.body.errors | objects | keys) // [] | . != [] and . - $fields == [];

def answered($status; $body): {$status, headers: {"content-type": "application/json"}, $body};

def success($status; $data; $at):
  answered($status; {success: true, $data, meta: {version: "v1", timestamp: ($at | instant)}});

def success($status; $data): success($status; $data; "2026-01-01T00:00:00Z" | seconds);

def refused($status; $code; $message; $details; $at):
  answered($status; {success: false, error: {$code, $message, $details}, meta: {version: "v1", timestamp: ($at | instant)}});

def refused($status; $code): refused($status; $code; "No."; {}; "2026-01-01T00:00:00Z" | seconds);

# The error of endpoints and Allowed Ports.
def bare($status; $message): answered($status; {error: {code: $status, $message}});

# The refusal of one field.
def invalid($field; $sentence): answered(422; {status: "error", message: $sentence, errors: {($field): [$sentence]}});

# The refusal of a scan in its cooldown.
def cooling($left; $at):
  refused(429; "RATE_LIMITED"; "The endpoint is in its scan cooldown."; {retry_after_seconds: $left}; $at)
  | .headers["retry-after"] = $left;

# Changes every object of a body.
def each_object(f): (.body | .. | objects) |= f;

# Changes members of these names, wherever they are.
def everywhere($names; f): each_object(reduce $names[] as $name (.; if has($name) then .[$name] |= f end));

# Changes every server that is shown.
def each_server(f): each_object(if (.id | isstring) and has("nmap_cooldown_seconds") then f end);

# Writes another text than the JSON.
def rewrite(f): .text |= f | .body = null;

# An identifier that nobody has.
def nobody: "00000000-0000-0000-0000-000000000000";
