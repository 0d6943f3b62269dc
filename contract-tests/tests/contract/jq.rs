//! jq programs that act between a caller and the service.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError};
use std::time::Duration;

use jaq_core::data::HasLut;
use jaq_core::load::{self, Arena, File, Loader};
use jaq_core::native::{Filter, Fun, bome, run, v};
use jaq_core::{Compiler, Ctx, DataT, Error, Exn, Lut, RunPtr, ValXs, Vars, compile};
use jaq_json::{Val, read};
use tokio::runtime::Handle;

use crate::deviation::On;
use crate::message::{Answer, Passing, member, words};
use crate::proxy::Behind;

/// So long one who came waits for company.
const COMPANY: Duration = Duration::from_millis(20);

/// The directory of the bends.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deviations")
}

/// What all programs share.
static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    fs::read_to_string(directory().join("prelude.jq")).expect("the prelude can be read")
});

/// A program that knows the call as `$call`, and the service's answer as `$answer` where there is one already.
pub struct Program(jaq_core::Filter<Wire>);

impl Program {
    /// Reads a program, with definitions that come before it.
    pub fn parse(definitions: &str, program: &str) -> Result<Self, String> {
        let known = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs());
        let functions = jaq_core::funs()
            .chain(jaq_std::funs())
            .chain(jaq_json::funs())
            .chain(natives());
        let code = format!("{}\n{definitions}\n{program}", *PRELUDE);
        let arena = Arena::default();
        let file = File {
            code: code.as_str(),
            path: (),
        };
        let modules = Loader::new(known).load(&arena, file).map_err(unreadable)?;
        let filter = Compiler::default()
            .with_funs(functions)
            .with_global_vars(["$call", "$answer"])
            .compile(modules)
            .map_err(|errors| undefined(&errors))?;
        Ok(Self(filter))
    }

    /// All that comes out.
    pub fn run(&self, input: &Val, acting: &Acting) -> Result<Vec<Val>, String> {
        let vars = [acting.call.clone(), acting.last.borrow().1.clone()];
        let lut = &self.0.lut;
        let context = Ctx::<Wire>::new(Running { lut, acting }, Vars::new(vars));
        let outputs = self.0.id.run((context, input.clone()));
        outputs.map(|output| output.map_err(exception)).collect()
    }
}

fn exception(exception: Exn<'_, Val>) -> String {
    match exception.get_err() {
        Ok(error) => error.to_string(),
        Err(_) => "it came to a halt".to_owned(),
    }
}

fn unreadable(errors: load::Errors<&str, ()>) -> String {
    let first = errors.into_iter().next().map(|(_, error)| error);
    let (wanted, at) = match first {
        Some(load::Error::Lex(errors)) => (errors[0].0.as_str(), errors[0].1),
        Some(load::Error::Parse(errors)) => (errors[0].0.as_str(), errors[0].1),
        Some(load::Error::Io(_)) | None => ("a program without modules", ""),
    };
    let at: String = at.chars().take(60).collect();
    format!("{wanted} is expected at {at:?}")
}

fn undefined(errors: &compile::Errors<&str, ()>) -> String {
    let all = errors.iter().flat_map(|(_, errors)| errors);
    let all = all.map(|(name, kind)| format!("no {} {name}", kind.as_str()));
    all.collect::<Vec<_>>().join(", ")
}

/// One call on its way, for the native functions.
pub struct Acting {
    /// The service.
    pub behind: Arc<Behind>,
    /// The call as it came.
    pub came: Passing,
    /// The same, as programs see it.
    pub call: Val,
    /// The last answer that the service gave, and how programs see it.
    pub last: RefCell<(Option<Answer>, Val)>,
}

impl Acting {
    /// Sends a call and gives its answer, null when none came.
    pub fn send(&self, call: &Val) -> Result<Val, String> {
        let call = Passing::from_val(call, &self.call)?;
        self.behind.bent(call != self.came);
        let answer = Handle::current().block_on(self.behind.answer(&call));
        let shown = answer.as_ref().map(Answer::to_val).unwrap_or_default();
        self.last.replace((answer, shown.clone()));
        Ok(shown)
    }

    fn recall(&self, name: &Val) -> Val {
        kept(self.behind.kept().get(&name.to_string()))
    }

    fn exchange(&self, name: &Val, value: &Val) -> Val {
        let mut all = self.behind.kept();
        kept(all.insert(name.to_string(), value.to_string()).as_ref())
    }

    fn count(&self, name: &Val, by: Val) -> Result<Val, String> {
        let mut all = self.behind.kept();
        let before = kept(all.get(&name.to_string()));
        let sum = (before + by).map_err(|why| why.to_string())?;
        all.insert(name.to_string(), sum.to_string());
        self.behind.counted.notify_all();
        Ok(sum)
    }

    /// Waits until so many are counted, or nobody more comes; gives the count.
    fn gather(&self, name: &Val, many: &Val) -> Val {
        let count = |all: &BTreeMap<String, String>| kept(all.get(&name.to_string()));
        let (all, counted) = (self.behind.kept(), &self.behind.counted);
        let waited = counted.wait_timeout_while(all, COMPANY, |all| count(all) < *many);
        count(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

fn kept(json: Option<&String>) -> Val {
    let value = json.map(|json| read::parse_single(json.as_bytes()));
    value.and_then(Result::ok).unwrap_or_default()
}

/// What programs work on: JSON, in the midst of a call.
struct Wire;

impl DataT for Wire {
    type V<'a> = Val;
    type Data<'a> = Running<'a>;
}

#[derive(Clone, Copy)]
struct Running<'a> {
    lut: &'a Lut<Wire>,
    acting: &'a Acting,
}

impl<'a> HasLut<'a, Wire> for Running<'a> {
    fn lut(&self) -> &'a Lut<Wire> {
        self.lut
    }
}

/// The functions that jq has not; `prelude.jq` says what they do.
fn natives() -> impl Iterator<Item = Fun<Wire>> {
    let all: Box<[Filter<RunPtr<Wire>>]> = Box::new([
        ("send", v(0), |(context, call)| {
            done(&context, |acting| acting.send(&call))
        }),
        ("is", v(1), |(mut context, call)| {
            let patterns = context.pop_var();
            done(&context, |_| is(&call, &patterns).map(Val::from))
        }),
        ("recall", v(1), |(mut context, _)| {
            let name = context.pop_var();
            done(&context, |acting| Ok(acting.recall(&name)))
        }),
        ("exchange", v(2), |(mut context, _)| {
            let (value, name) = (context.pop_var(), context.pop_var());
            done(&context, |acting| Ok(acting.exchange(&name, &value)))
        }),
        ("count", v(2), |(mut context, _)| {
            let (by, name) = (context.pop_var(), context.pop_var());
            done(&context, |acting| acting.count(&name, by))
        }),
        ("acts", v(0), |(context, input)| {
            context.data().acting.behind.bent(true);
            bome(Ok(input))
        }),
        ("gather", v(2), |(mut context, _)| {
            let (many, name) = (context.pop_var(), context.pop_var());
            done(&context, |acting| Ok(acting.gather(&name, &many)))
        }),
    ]);
    all.into_vec().into_iter().map(run::<Wire>)
}

fn done<'a>(
    context: &Ctx<'a, Wire>,
    act: impl FnOnce(&Acting) -> Result<Val, String>,
) -> ValXs<'a, Val> {
    bome(act(context.data().acting).map_err(Error::str))
}

fn is(call: &Val, patterns: &Val) -> Result<bool, String> {
    let (method, path) = (
        words(&member(call, "method"))?,
        words(&member(call, "path"))?,
    );
    Ok(On(words(patterns)?).meets(&method, &path, None))
}
