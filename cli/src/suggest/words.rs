//! The words that people try, and what they mean.

pub const ADD: &str = "provision IP... -c ID";
pub const ALLOW: &str = "rules add ENDPOINT+ PORT -m TEXT";
pub const FROM_A_FILE: &str = "provision -f FILE";
pub const PORTS: &str = "endpoint show ENDPOINT --ports";
pub const REPORT: &str = "report -c ID --html FILE";
pub const DELETE: &str = "endpoint delete ENDPOINT...";
pub const SUSPEND: &str = "endpoint suspend ENDPOINT...";
pub const RESUME: &str = "endpoint resume ENDPOINT...";
pub const WHY: &str = "alert list -c ID";
pub const MOVE: &str = "endpoint move ENDPOINT...";
pub const SEARCH: &str = "endpoint list --search NAME";
pub const OTHER_PLAN: &str = "subscription change SERVICE --plan PLAN";
pub const CUSTOMERS_PLAN: &str =
    "subscription change SERVICE --product port_monitoring --plan PLAN -c ID";
pub const PLANS: &str = "subscription plans";
pub const SIGN_IN: &str = "sso link -c ID";

/// Words that people try first, and the command they mean. What stands in capitals is filled from what was typed: with
/// one word, behind `...` with all that fit, and behind `+` with one, or with several as options.
pub const TRIED_FIRST: &[(&str, &str)] = &[
    ("ack", "alert ack ALERT..."),
    ("add", ADD),
    ("allow", ALLOW),
    ("check", "auth status"),
    ("delete", DELETE),
    ("downgrade", CUSTOMERS_PLAN),
    ("explain", WHY),
    ("export", "endpoint list -o csv"),
    ("find", SEARCH),
    ("import", FROM_A_FILE),
    ("leaks", "domain leaks DOMAIN"),
    ("list", "endpoint list"),
    ("load", FROM_A_FILE),
    ("log", "history"),
    ("login", "auth login"),
    ("logout", "auth logout"),
    ("mentions", "domain mentions DOMAIN"),
    ("move", MOVE),
    ("plan", PLANS),
    ("plans", PLANS),
    ("portal", SIGN_IN),
    ("proxy", "doctor"),
    ("port", PORTS),
    ("ports", PORTS),
    ("rename", "endpoint rename ENDPOINT NAME"),
    ("resolve", "alert resolve ALERT..."),
    ("resume", RESUME),
    ("search", SEARCH),
    ("show", "endpoint show ENDPOINT"),
    ("suspend", SUSPEND),
    ("terminate", "endpoint terminate ENDPOINT..."),
    ("upgrade", CUSTOMERS_PLAN),
    ("upload", FROM_A_FILE),
    ("watch", "alert watch"),
    ("whoami", "auth status"),
    ("why", WHY),
];

/// The same for the word behind another one.
pub const TRIED_SECOND: &[(&str, &str, &str)] = &[
    ("add", "endpoint", ADD),
    ("alert", "explain", "alert show ALERT"),
    ("alert", "why", "alert show ALERT"),
    ("auth", "check", "auth status"),
    ("auth", "show", "auth status"),
    ("auth", "whoami", "auth status"),
    ("domain", "alert", "alert list --domain DOMAIN"),
    ("domain", "open", "open DOMAIN"),
    ("domain", "restore", "domain provision DOMAIN -c ID"),
    ("endpoint", "allow", ALLOW),
    ("endpoint", "find", SEARCH),
    ("endpoint", "import", FROM_A_FILE),
    ("endpoint", "open", "open ENDPOINT"),
    ("endpoint", "ports", PORTS),
    ("endpoint", "restore", ADD),
    ("endpoint", "search", SEARCH),
    ("endpoint", "whitelist", ALLOW),
    ("history", "undo", "undo"),
    ("profile", "change", "config edit"),
    ("profile", "edit", "config edit"),
    ("profile", "set", "config edit"),
    ("profile", "update", "config edit"),
    ("report", "customer", REPORT),
    ("resume", "customer", "customer resume ID"),
    ("rules", "allow", ALLOW),
    ("port", "open", ALLOW),
    ("portal", "link", SIGN_IN),
    ("portal", "login", SIGN_IN),
    ("rules", "expiring", "rules list --expiring 30d"),
    ("subscription", "downgrade", OTHER_PLAN),
    ("subscription", "upgrade", OTHER_PLAN),
    ("suspend", "customer", "customer suspend ID"),
    ("terminate", "customer", "customer leave ID"),
    ("config", "show", "config list"),
    ("customer", "delete", "customer leave ID"),
    ("customer", "end", "customer leave ID"),
    ("customer", "remove", "customer leave ID"),
    ("customer", "terminate", "customer leave ID"),
    ("delete", "customer", "customer leave ID"),
];

/// Other words for verbs: the first of these that the noun has is meant.
pub const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("acknowledge", &["ack"]),
    ("activate", &["resume", "use"]),
    ("add", &["provision", "set", "create"]),
    ("all", &["list"]),
    ("block", &["suspend"]),
    ("cancel", &["terminate"]),
    ("change", EDIT),
    ("close", &["resolve"]),
    ("create", CREATE),
    ("delete", END),
    ("default", &["use"]),
    ("describe", SHOW),
    ("details", SHOW),
    ("disable", &["suspend"]),
    ("dismiss", &["resolve"]),
    ("downgrade", &["change"]),
    ("edit", EDIT),
    ("enable", &["resume"]),
    ("extend", EDIT),
    ("get", SHOW),
    ("info", SHOW),
    ("ls", &["list"]),
    ("modify", EDIT),
    ("monitor", &["provision", "add"]),
    ("new", CREATE),
    ("pause", &["suspend"]),
    ("remove", END),
    ("restore", &["resume"]),
    ("rm", END),
    ("set", EDIT),
    ("start", &["resume", "serve"]),
    ("stop", &["suspend"]),
    ("switch", &["use"]),
    ("transfer", &["move"]),
    ("unblock", &["resume"]),
    ("unpause", &["resume"]),
    ("unsuspend", &["resume"]),
    ("update", EDIT),
    ("upgrade", &["change"]),
    ("view", SHOW),
    ("watch", &["provision"]),
    ("whitelist", &["allow", "add"]),
];

const CREATE: &[&str] = &["provision", "add", "create", "set", "link"];
const EDIT: &[&str] = &["edit", "change", "rename", "set"];
const END: &[&str] = &["delete", "remove", "terminate", "unset"];
const SHOW: &[&str] = &["show", "status", "list"];

const TWO_ENDS: &str = "secmon domain terminate ends the monitoring of a domain, and provisioning it again restores it; secmon domain release gives up the domain, its slot, alerts and history for good";
const NO_DELETING: &str = "alerts cannot be deleted: secmon alert resolve marks them as resolved, secmon alert allow allows the port for good";
const NO_READING: &str = "the service cannot list subscriptions: it shows one only when you set or change it; secmon status -c ID shows what the customer uses";
const MERGING: &str = "customers are merged record by record: secmon endpoint move SERVER --customer-to ID for each server (its rules move along), and secmon domain move DOMAIN --customer-to ID --service N for each domain; set up subscriptions and rules for all servers again";
const NO_REOPENING: &str = "an alert cannot be opened again by hand; a port that is still open raises a new one at the next scan";

/// What there is no command for.
pub const NOT_THERE: &[(&str, &str, &str)] = &[
    ("subscription", "list", NO_READING),
    ("subscription", "show", NO_READING),
    ("domain", "delete", TWO_ENDS),
    ("alert", "delete", NO_DELETING),
    ("alert", "unack", NO_REOPENING),
    ("alert", "reopen", NO_REOPENING),
    ("customer", "merge", MERGING),
    ("customer", "move", MERGING),
];

const CHANGES_OF_A_SERVER: &str = "a server gets another name by endpoint rename, another address by endpoint move, and other allowed ports by rules add, edit and remove";

const RULES_BY_ID: &str =
    "a rule is edited by its id: secmon rules list ENDPOINT shows the ids of a server's rules";

/// What has more than one command, where none of them takes what was typed.
pub const SEVERAL_VERBS: &[(&str, &str, &str)] = &[
    ("endpoint", "edit", CHANGES_OF_A_SERVER),
    ("rules", "edit", RULES_BY_ID),
];

/// What a command that lacks an argument may be given instead.
pub const INSTEAD_OF_MISSING: &[(&str, &str, &str)] = &[("endpoint", "move", NEW_PLACE)];

const NEW_PLACE: &str =
    "give the new address, or keep the address and give the new customer with --customer-to ID";

/// Arguments that stand behind an option; a command without verbs has them behind its name.
pub const BEHIND_OPTION: &[(&str, &str, &str)] = &[
    ("domain", "move", "--customer-to"),
    ("domain", "release", "--service"),
    ("endpoint", "list", "--search"),
    ("history", "", "--endpoint"),
    ("rules", "copy", "--to"),
];

/// The same in every command.
pub const ANY: &str = "";

/// Options that a command has in another form; one that takes a value takes the one that was typed.
pub const OPTIONS: &[(&str, &str, &str)] = &[
    (ANY, "--format", "-o FORM"),
    (ANY, "--json", "-o json"),
    ("alert", "--acknowledged", "--status acknowledged"),
    ("alert", "--open", "--status open"),
    ("alert", "--resolved", "--status resolved"),
    ("endpoint", "--active", "--status active"),
    ("endpoint", "--open", "--port PORT"),
    ("endpoint", "--paused", "--status paused"),
    ("endpoint", "--suspended", "--status paused"),
    ("endpoint", "--to", "--customer-to ID"),
    ("rules", "--expires", "--expiring 30d"),
    ("rules", "--expired", "--status expired"),
    ("rules", "--for", "--expires DAY"),
];

/// Words that tell what the next one is.
pub const FILLERS: &[&str] = &[
    "domain", "endpoint", "for", "of", "on", "port", "server", "to",
];

pub const CUSTOMER: &[&str] = &["client", "customer", "customers"];
