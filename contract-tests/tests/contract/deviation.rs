//! What a bend does, and to which calls.

use std::cell::RefCell;
use std::sync::Arc;

use jaq_json::Val;
use serde::Deserialize;
use tokio::task::spawn_blocking;

use crate::jq::{Acting, Program};
use crate::message::{Answer, Passing};
use crate::proxy::Behind;

/// What a proxy does to what passes.
#[derive(Clone)]
pub enum Deviation {
    /// Nothing.
    Nothing,
    /// It looks at calls.
    Watch(fn(&Passing)),
    /// It follows a program.
    By(Arc<Rule>),
}

/// What a bend does, as a jq program.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// Makes another call of the call.
    Call(String),
    /// Makes another answer of the answer.
    Answer(String),
    /// Answers in the service's place; the service does where nothing comes out.
    Instead(String),
    /// Sends more calls when the service has answered.
    After(String),
    /// Makes an answer of the call.
    Whole(String),
}

/// A program, and the calls that it meets.
pub struct Rule {
    on: On,
    doing: Doing,
    program: Program,
}

/// Between a call and the status of its answer.
const ARROW: &str = " -> ";

/// Which calls and answers a program meets: `POST */suspend -> 2*, ...`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct On(pub String);

impl Deviation {
    /// A bend by a program, for the checks that have one of their own.
    pub fn new(on: &str, doing: Doing) -> Self {
        let rule = Rule::parse(On(on.to_owned()), doing, "");
        Self::By(Arc::new(rule.expect("a program")))
    }

    /// What the caller is answered; none when nothing comes.
    pub async fn answer(self, call: Passing, behind: Arc<Behind>) -> Option<Answer> {
        match self {
            Self::Nothing => {}
            Self::Watch(look) => look(&call),
            Self::By(rule) if rule.meets(&call, None) => return rule.answer(call, behind).await,
            Self::By(_) => {}
        }
        behind.answer(&call).await
    }
}

impl Rule {
    /// Reads what a bend does, with definitions that come before it.
    pub fn parse(on: On, doing: Doing, definitions: &str) -> Result<Self, String> {
        let (Doing::Call(program)
        | Doing::Answer(program)
        | Doing::Instead(program)
        | Doing::After(program)
        | Doing::Whole(program)) = &doing;
        if on.0.contains(ARROW) && !doing.follows_answer() {
            return Err("a status, before there is an answer".to_owned());
        }
        Ok(Self {
            program: Program::parse(definitions, program)?,
            on,
            doing,
        })
    }

    fn meets(&self, call: &Passing, answer: Option<&Answer>) -> bool {
        let status = answer.map(|answer| answer.status.as_str());
        self.on.meets(call.method.as_str(), &call.path, status)
    }

    async fn answer(self: Arc<Self>, call: Passing, behind: Arc<Behind>) -> Option<Answer> {
        let answer = match self.doing.follows_answer() {
            true => Some(behind.answer(&call).await?),
            false => None,
        };
        if answer.is_some() && !self.meets(&call, answer.as_ref()) {
            return answer;
        }
        let noted = Arc::clone(&behind);
        let acts = move || {
            let shown = answer.as_ref().map(Answer::to_val).unwrap_or_default();
            let acting = Acting {
                behind,
                call: call.to_val(),
                came: call,
                last: RefCell::new((answer, shown)),
            };
            let done = self.act(&acting);
            done.map_err(|why| format!("{why}, in {:?}", self.doing))
        };
        // A program blocks while it waits for the service.
        let done = spawn_blocking(acts).await;
        let done = done.unwrap_or_else(|panic| Err(panic.to_string()));
        done.unwrap_or_else(|why| {
            noted.troubles().push(why);
            None
        })
    }

    fn act(&self, acting: &Acting) -> Result<Option<Answer>, String> {
        let came = acting.last.borrow().1.clone();
        let run = |input| self.program.run(input, acting);
        let answer = match self.doing {
            Doing::Call(_) => acting.send(&one(run(&acting.call)?)?)?,
            Doing::Answer(_) => one(run(&came)?)?,
            Doing::Instead(_) => match run(&acting.call)? {
                none if none.is_empty() => acting.send(&acting.call)?,
                outputs => one(outputs)?,
            },
            Doing::After(_) => run(&acting.call).map(|_| came)?,
            Doing::Whole(_) => one(run(&acting.call)?)?,
        };
        let (last, shown) = &*acting.last.borrow();
        let answer = Answer::from_val(&answer, shown)?;
        acting.behind.bent(answer != *last);
        Ok(answer)
    }
}

impl Doing {
    fn follows_answer(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::After(_))
    }
}

fn one(outputs: Vec<Val>) -> Result<Val, String> {
    <[Val; 1]>::try_from(outputs)
        .map(|[output]| output)
        .map_err(|outputs| format!("{} come out, not one", outputs.len()))
}

impl On {
    /// Every call.
    pub fn all() -> Self {
        Self("*".to_owned())
    }

    /// Whether they fit a call and, where there is one, its answer.
    pub fn meets(&self, method: &str, path: &str, status: Option<&str>) -> bool {
        let call = format!("{method} {path}");
        self.0.split(", ").any(|pattern| {
            let (wanted, ending) = pattern.split_once(ARROW).unwrap_or((pattern, "*"));
            fits(wanted, &call) && status.is_none_or(|status| fits(ending, status))
        })
    }
}

/// Whether a text is as a pattern says, in which `*` is any text, `{id}` one part of a path and `{provisioning}` the start of
/// a path of that group.
fn fits(pattern: &str, text: &str) -> bool {
    let (plain, wild) = pattern.split_at(pattern.find(['*', '{']).unwrap_or(pattern.len()));
    let Some(text) = text.strip_prefix(plain) else {
        return false;
    };
    if wild.is_empty() {
        return text.is_empty();
    }
    if let Some(rest) = wild.strip_prefix("{provisioning}") {
        let groups = ["/api/v1/billing", "/api/v1/provisioning"];
        let mut rests = groups.iter().filter_map(|group| text.strip_prefix(group));
        return rests.any(|text| fits(rest, text));
    }
    let (rest, most) = match wild.strip_prefix("{id}") {
        Some(rest) => (rest, text.find('/').unwrap_or(text.len())),
        None => (&wild[1..], text.len()),
    };
    let mut ends = (0..=most).filter(|end| text.is_char_boundary(*end));
    ends.any(|end| fits(rest, &text[end..]))
}
