//! What holds of the times in every answer, whatever clock the service has.

use chrono::{DateTime, Duration, FixedOffset};
use serde_json::{Map, Value};

use crate::description::Findings;
use crate::exchange::Exchange;
use crate::need::Need;
use crate::service::Repeatability;

type Time = DateTime<FixedOffset>;

/// Members of one object that come in this order, where both are there.
const IN_ORDER: [(&str, &str); 10] = [
    ("created_at", "updated_at"),
    ("created_at", "last_scan_at"),
    ("created_at", "dark_web_last_scan_at"),
    ("created_at", "next_scan_at"),
    ("created_at", "expires_at"),
    ("created_at", "acknowledged_at"),
    ("acknowledged_at", "resolved_at"),
    ("first_detected_at", "last_detected_at"),
    ("last_detected_at", "resolved_at"),
    ("published_at", "created_at"),
];

/// Members that tell of what is still to come.
const FUTURE: [&str; 2] = ["next_scan_at", "expires_at"];

/// A server or domain is scanned again so long after a scan, by our own mock.
const INTERVAL: Duration = Duration::hours(24);

/// What is said of a service that scans more or less often.
const OTHER_SCHEDULE: &str = "`next_scan_at` is not 24 hours after `last_scan_at` (E1)";

/// Whether a member holds a time, or null.
pub(crate) fn is_time_member(name: &str) -> bool {
    name.ends_with("_at") || name == "timestamp"
}

/// A time in any of its forms; the description judges which one our own mock uses.
pub(crate) fn time_of(text: &str) -> Option<Time> {
    DateTime::parse_from_rfc3339(text).ok()
}

/// What of the times of an answer cannot be: out of order, later than the answer itself, no scan after the last; and what
/// only our own mock may not do, scans that are no day apart. Scans that a case ran outside the schedule say nothing about
/// the schedule, and neither do those that somebody else may have run before.
pub fn findings(exchange: &Exchange, needs: &[Need], repeatability: Repeatability) -> Findings {
    let mut judge = Judge {
        now: time_in(&exchange.json["meta"], "timestamp"),
        on_schedule: !needs.contains(&Need::World),
        repeatability,
        found: Findings::default(),
    };
    judge.value(&exchange.json);
    let call = format!("{} {}", exchange.method, exchange.path);
    for problem in &mut judge.found.violations {
        *problem = format!("{call}: {problem}");
    }
    judge.found
}

struct Judge {
    /// When the answer was given, where it says so.
    now: Option<Time>,
    on_schedule: bool,
    repeatability: Repeatability,
    found: Findings,
}

impl Judge {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                self.order(members);
                self.past(members);
                self.validity(members);
                if members.contains_key("next_scan_at") {
                    self.schedule(value);
                }
                members.values().for_each(|member| self.value(member));
            }
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            _ => {}
        }
    }

    fn order(&mut self, members: &Map<String, Value>) {
        for (first, then) in IN_ORDER {
            let time = |name| time_of(members.get(name)?.as_str()?);
            if let (Some(early), Some(late)) = (time(first), time(then))
                && early > late
            {
                let problem = format!("`{first}` {early} is after `{then}` {late}");
                self.found.violations.push(problem);
            }
        }
    }

    fn past(&mut self, members: &Map<String, Value>) {
        let Some(now) = self.now else { return };
        for (name, value) in members {
            let time = value.as_str().and_then(time_of);
            if is_time_member(name)
                && !FUTURE.contains(&name.as_str())
                && time.is_some_and(|time| time > now)
            {
                let problem = format!("`{name}` {value} is after the answer, {now}");
                self.found.violations.push(problem);
            }
        }
    }

    /// A rule is active through the second that its end shows, and no longer (E9).
    fn validity(&mut self, members: &Map<String, Value>) {
        let end = members.get("expires_at").and_then(Value::as_str);
        let (Some(now), Some(end), Some(is_active)) = (
            self.now,
            end.and_then(time_of),
            members.get("is_active").and_then(Value::as_bool),
        ) else {
            return;
        };
        if is_active != (end.timestamp() >= now.timestamp()) {
            let problem =
                format!("`is_active` is {is_active} at {now}, and `expires_at` is {end} (E9)");
            self.found.violations.push(problem);
        }
    }

    /// An active server is due a day after its last scan, at once before the first and after a long pause.
    fn schedule(&mut self, server: &Value) {
        let (last, next) = (
            time_in(server, "last_scan_at"),
            time_in(server, "next_scan_at"),
        );
        let is_active = server["status"] == "active";
        if next.is_some() != is_active {
            let problem = format!(
                "`next_scan_at` is {} and the server {}",
                server["next_scan_at"], server["status"]
            );
            self.found.violations.push(problem);
        }
        let due = last.map(|last| last + INTERVAL);
        let due = due.or_else(|| time_in(server, "created_at"));
        let (Some(next), Some(due), true) = (next, due, self.on_schedule) else {
            return;
        };
        let latest = self.now.map_or(next, |now| due.max(now));
        if next < due || next > latest {
            let problem = format!("`next_scan_at` is {next}, and a scan is due at {due}");
            // A scan outside the schedule moves the last scan alone.
            let may_be_unscheduled = next < due && self.repeatability == Repeatability::Loose;
            match last.is_some_and(|last| next > last) {
                true if may_be_unscheduled => {}
                true => self.found.differences.push(OTHER_SCHEDULE.to_owned()),
                false => self.found.violations.push(problem),
            }
        }
    }
}

fn time_in(object: &Value, member: &str) -> Option<Time> {
    object[member].as_str().and_then(time_of)
}
