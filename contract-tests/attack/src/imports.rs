//! Documents with something wrong in them: refused with nothing changed, or there after a restart.

use serde_json::{Value, json};

use crate::Field;
use crate::chance::Chance;
use crate::client::Caller;
use crate::mock::{Mock, STANDING};
use crate::table::{Outcome, Seen, Table, hold};

/// Hostile documents for `PUT /_mock/state`, with restarts.
#[derive(clap::Args)]
pub struct Imports {
    /// Documents, each with one to three values changed
    #[arg(long, default_value_t = 2000)]
    documents: usize,
}

impl Imports {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("imports");
        table.attempt("documents with values of others in them", || {
            let good = document(&field.program.start(STANDING)?)?;
            let mut chance = Chance::new(field.seed);
            let probe = field.program.start(STANDING)?;
            let mut taken = 0;
            for number in 0..self.documents {
                let (document, about) = mutated(&good, &mut chance)?;
                let tried = self.try_one(field, &probe.anyone(), &good, &document);
                taken += usize::from(
                    tried.map_err(|lost| lost.at(&format!("document {number}, {about}")))?,
                );
            }
            let result = format!("{taken} taken, and there after a restart; of the others nothing");
            Ok(Seen::of(self.documents, result))
        })
    }

    /// Whether it is taken. A server in memory is asked first: what that refuses needs no file of its own.
    fn try_one(
        &self,
        field: &Field,
        probe: &Caller,
        good: &Value,
        document: &Value,
    ) -> Outcome<bool> {
        probe.put("/_mock/state", good)?.expect(204)?;
        let before = exported(probe)?;
        let answer = probe.put("/_mock/state", document)?;
        if answer.status != 204 {
            let sentence = answer.expect(400)?.text("/error")?;
            hold(sentence.ends_with('.') && !sentence.contains('\n'), || {
                format!("is refused with {sentence:?}")
            })?;
            hold(exported(probe)? == before, || {
                "is refused, and changed something".to_owned()
            })?;
            return Ok(false);
        }
        let folder = tempfile::tempdir()?;
        let state = folder.path().join("state.db");
        let mock = field.program.start_on(&state, STANDING)?;
        mock.anyone().put("/_mock/state", document)?.expect(204)?;
        // Something is acknowledged after it.
        let made = mock
            .anyone()
            .post("/_mock/tenants", &json!({}))?
            .expect(201)?;
        let server = json!({ "client_id": 1, "ip_address": "192.0.2.77" });
        let caller = mock.anyone().with_key(&made.text("/api_key")?);
        caller
            .post("/api/v1/billing/provision", &server)?
            .expect(201)?;
        let acknowledged = accounts(&mock.anyone())?;
        mock.kill()?;
        let mock = field.program.start_on(&state, STANDING)?;
        let kept = accounts(&mock.anyone())?;
        let is_there = acknowledged
            .iter()
            .all(|(name, account)| kept.get(name) == Some(account));
        hold(is_there, || {
            "is taken, and not the same after a restart".to_owned()
        })?;
        Ok(true)
    }
}

fn exported(anyone: &Caller) -> Outcome<Vec<u8>> {
    Ok(anyone.get("/_mock/state")?.expect(200)?.body)
}

/// The accounts that were made; configured ones go by the configuration of each start.
fn accounts(anyone: &Caller) -> Outcome<serde_json::Map<String, Value>> {
    let mut document: Value = serde_json::from_slice(&exported(anyone)?)?;
    let accounts = document["accounts"].as_object_mut().map(std::mem::take);
    let mut accounts = accounts.unwrap_or_default();
    accounts.retain(|_, account| account["origin"] != "configured");
    Ok(accounts)
}

/// A document of an account with records of most kinds.
fn document(mock: &Mock) -> Outcome<Value> {
    let anyone = mock.anyone();
    let made = anyone.post("/_mock/tenants", &json!({ "name": "mine" }))?;
    let mine = anyone.with_key(&made.expect(201)?.text("/api_key")?);
    let server = json!({ "client_id": 1, "service_id": 9, "ip_address": "192.0.2.1" });
    let made = mine.post("/api/v1/billing/provision", &server)?;
    for (path, body) in calls(&made.expect(201)?.text("/data/endpoint_id")?) {
        let answer = mine.post(path, &body)?;
        hold(answer.status < 300, || {
            format!("{path}: {}", answer.beginning())
        })?;
    }
    anyone.get("/_mock/state")?.expect(200)?.json()
}

#[rustfmt::skip]
fn calls(server: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("/api/v1/billing/provision", json!({ "client_id": 2, "hostname": "web.example" })),
        ("/api/v1/billing/provision-subscription", json!({ "client_id": 1, "service_id": 5, "product_slug": "domain_monitoring", "quantity": 2 })),
        ("/api/v1/billing/provision-subscription", json!({ "client_id": 2, "service_id": 6, "product_slug": "port_monitoring", "plan_slug": "starter" })),
        ("/api/v1/billing/suspend-subscription", json!({ "client_id": 2, "service_id": 6, "product_slug": "port_monitoring" })),
        ("/api/v1/billing/provision-domain", json!({ "client_id": 1, "service_id": 5, "domain": "a.example" })),
        ("/api/v1/billing/pricing", json!({ "product_slug": "domain_monitoring", "price": 3, "currency": "EUR" })),
        ("/api/v1/whitelists", json!({ "port_start": 22, "protocol": "tcp", "justification": "For an attack", "endpoint_id": server })),
        ("/api/v1/whitelists", json!({ "port_start": 80, "protocol": "*", "justification": "For an attack", "expires_at": "2026-02-01" })),
        ("/_mock/clock", json!({ "advance_seconds": 90_000 })),
        ("/api/v1/sso/token", json!({ "billing_customer_id": 1 })),
        ("/api/v1/billing/scan-endpoint", json!({ "client_id": 1, "endpoint_id": server })),
    ]
}

/// The document with something wrong in it: a text changed wherever it stands, or one to three places changed to something
/// hostile, to what stands elsewhere, or to nearly the same.
fn mutated(good: &Value, chance: &mut Chance) -> Outcome<(Value, String)> {
    let mut all = Vec::new();
    places(good, String::new(), &mut all);
    let at = |place: &String| good.pointer(place).cloned().unwrap_or_default();
    if chance.below(4) == 0 {
        let texts: Vec<Value> = all.iter().map(at).filter(Value::is_string).collect();
        let (old, new) = (chance.pick(&texts), json!(chance.pick(&TEXTS)));
        let text = good.to_string().replace(&old.to_string(), &new.to_string());
        return Ok((
            serde_json::from_str(&text)?,
            format!("{new} wherever {old} stands"),
        ));
    }
    let (mut document, mut about) = (good.clone(), String::new());
    for _ in 0..=chance.below(3) {
        let place = chance.pick(&all);
        let new = match chance.below(3) {
            0 => at(chance.pick(&all)),
            1 => chance.pick(&hostile()).clone(),
            _ => near(&at(place), chance),
        };
        about += &format!("{place} = {:.60} ", new.to_string());
        if let Some(value) = document.pointer_mut(place) {
            *value = new;
        }
    }
    Ok((document, about))
}

fn places(value: &Value, at: String, all: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(member, format!("{at}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                places(item, format!("{at}/{number}"), all);
            }
        }
        _ => {}
    }
    all.push(at);
}

#[rustfmt::skip]
const TEXTS: [&str; 13] = [
    "", " ", "\0", "\u{1f}", "a/b", "a b", "é", "a\nb", "0001-01-01T00:00:00.000+00:00", "9999-12-31T23:59:60Z", "::", "-1",
    "00000000-0000-0000-0000-000000000000",
];

#[rustfmt::skip]
fn hostile() -> Vec<Value> {
    let numbers = [json!(0), json!(-1), json!(1.5), json!(1e300), json!(u32::MAX), json!(i64::MAX), json!(u64::MAX)];
    let others = [Value::Null, json!(true), json!([]), json!({}), json!([[]]), json!("x".repeat(70_000))];
    TEXTS.into_iter().map(Value::from).chain(numbers).chain(others).collect()
}

/// Nearly what it was.
fn near(value: &Value, chance: &mut Chance) -> Value {
    match value {
        Value::Number(number) => json!(
            number
                .as_i64()
                .unwrap_or(0)
                .wrapping_add(1)
                .wrapping_sub(2 * chance.below(2) as i64)
        ),
        Value::String(text) => match chance.below(3) {
            0 => json!(text.to_uppercase()),
            1 => json!(format!("{text} ")),
            _ => json!(text.replacen(|letter: char| letter.is_ascii_digit(), "7", 1)),
        },
        Value::Bool(is_so) => json!(!is_so),
        Value::Array(items) => match chance.below(2) {
            0 => items.iter().chain(items.last()).cloned().collect(),
            _ => items.iter().skip(1).cloned().collect(),
        },
        Value::Object(members) => {
            let gone = chance.below(members.len() as u64);
            let kept = members
                .iter()
                .enumerate()
                .filter(|(place, _)| *place as u64 != gone);
            kept.map(|(_, (name, member))| (name.clone(), member.clone()))
                .collect()
        }
        Value::Null => json!(0),
    }
}
