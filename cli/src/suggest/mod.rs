//! What a command line that cannot be read was probably meant to be.

mod pasted;
mod slips;
pub mod typed;
mod words;

use self::words::*;
use crate::suggest::typed::Typed;
use crate::ui::invocation::quoted;
use crate::values::ports::PortSpec;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;

/// The way out of a command line that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// What was pasted and is typed otherwise.
    Pasted(String),
    /// The command that does it, without the program's name.
    Command(String),
    /// Why there is no such command, and what there is.
    Nothing(&'static str),
}

impl Suggestion {
    /// As the way out of an error.
    pub fn as_hint(&self) -> String {
        match self {
            Self::Command(command) => format!("did you mean: secmon {command}"),
            Self::Nothing(why) => (*why).to_owned(),
            Self::Pasted(way_out) => way_out.clone(),
        }
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = match self {
            Self::Command(_) => "",
            Self::Nothing(_) | Self::Pasted(_) => "hint: ",
        };
        write!(f, "{label}{}", self.as_hint())
    }
}

/// The command that a word which is none stands for.
pub fn command_for(word: &str) -> Option<String> {
    let command = tried_first(word)?;
    let names = command
        .split(' ')
        .take_while(|word| word.starts_with(char::is_lowercase));
    Some(names.collect::<Vec<_>>().join(" "))
}

/// Takes out the parser's own advice that leads nowhere, and gives better where there is some that the parser takes.
pub fn instead(
    error: &mut clap::Error,
    words: &[OsString],
    parser: clap::Command,
) -> Option<Suggestion> {
    drop_dashes_advice(error);
    drop_far_advice(error);
    let typed = Typed::scan(parser, words);
    let suggestion = pasted_in(words, &error.to_string()).map(Suggestion::Pasted);
    let suggestion = suggestion.or_else(|| told(&typed, NOT_THERE));
    let suggestion = suggestion.or_else(|| match error.kind() {
        ErrorKind::MissingRequiredArgument => told(&typed, INSTEAD_OF_MISSING),
        _ => None,
    });
    let suggestion = suggestion.or_else(|| {
        let stray = string(error, ContextKind::InvalidSubcommand)
            .or_else(|| string(error, ContextKind::InvalidArg));
        let command = match stray {
            Some(stray) => option(&typed, &stray)
                .or_else(|| tried(&typed, &stray))
                .or_else(|| slip(&typed, &stray))
                .or_else(|| without_verb(&typed))
                .or_else(|| behind_option(&typed, &stray))
                .or_else(|| stray_customer(&typed, &stray))
                .or_else(|| stray_record(&typed, &stray)),
            None => without_verb(&typed),
        };
        command
            .and_then(|command| complete(&typed, command))
            .map(Suggestion::Command)
            .or_else(|| told(&typed, SEVERAL_VERBS))
    })?;
    for advice in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg] {
        error.remove(advice);
    }
    Some(suggestion)
}

/// The page that tells how the command is typed that was.
pub fn help_page(words: &[OsString], parser: clap::Command) -> String {
    format!("{} --help", Typed::scan(parser, words).command())
}

/// What to type in the place of a word in quotation marks that no shell takes away.
pub fn pasted_word(words: &[OsString]) -> Option<String> {
    pasted::single_word(&as_text(words))
}

fn as_text(words: &[OsString]) -> Vec<String> {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    words.collect()
}

/// What to type in the place of what was pasted, where that is what an error is about.
pub fn pasted_in(words: &[OsString], message: &str) -> Option<String> {
    let words = as_text(words);
    let mut pasted = pasted::pasted(&words);
    Some(pasted.find(|pasted| pasted.is_in(message))?.way_out)
}

/// A command with the places of what it still needs, if the parser takes it then.
fn complete(typed: &Typed, command: String) -> Option<String> {
    let error = match typed.refusal(&command) {
        None => return Some(command),
        Some(error) => error,
    };
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.join(" "),
        _ => String::new(),
    };
    let whole = format!("{command} {}", missing.replace(['<', '>', '.'], ""));
    let whole = whole.trim_end().to_owned();
    typed.refusal(&whole).is_none().then_some(whole)
}

/// An option that is like another one in a few letters only is not what was meant.
fn drop_far_advice(error: &mut clap::Error) {
    let Some(stray) = string(error, ContextKind::InvalidArg) else {
        return;
    };
    let is_far = |advice: &str| {
        let letters = |option: &str| option.trim_start_matches('-').to_owned();
        let (stray, advice) = (letters(&stray), letters(advice));
        // `--port` is no slip of the finger for `--sort`: who means the one types its first letter.
        !stray.starts_with(advice.get(..1).unwrap_or_default())
            || strsim::osa_distance(&stray, &advice) > (stray.len() / 4).max(1)
    };
    if string(error, ContextKind::SuggestedArg).is_some_and(|advice| is_far(&advice)) {
        error.remove(ContextKind::SuggestedArg);
        // It shows that option in its place.
        error.remove(ContextKind::Usage);
    }
}

/// To pass a word on as a value is never what was meant.
fn drop_dashes_advice(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(mut advice)) = error.remove(ContextKind::Suggested) else {
        return;
    };
    advice.retain(|line| !line.to_string().contains("as a value, use"));
    if !advice.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(advice));
    }
}

fn string(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The first two words, nouns by their own name.
fn first_two(typed: &Typed) -> (String, String) {
    let named = |place| {
        let word = typed.word(place).unwrap_or_default();
        typed.noun_name(word).unwrap_or_else(|| word.to_owned())
    };
    (named(0), named(1))
}

/// What a table says of a noun and a verb, in either order.
fn told(typed: &Typed, table: &[(&str, &str, &'static str)]) -> Option<Suggestion> {
    let (first, second) = first_two(typed);
    let fits = |(noun, verb, _): &&(&str, &str, &str)| {
        let named = |one: &str, other: &str| {
            *noun == one && (verb.is_empty() || words_for(other).any(|word| word == *verb))
        };
        named(&first, &second) || named(&second, &first)
    };
    let (_, _, why) = table.iter().find(fits)?;
    Some(Suggestion::Nothing(why))
}

fn option(typed: &Typed, stray: &str) -> Option<String> {
    let (noun, _) = first_two(typed);
    let fits =
        |(of, option, _): &&(&str, &str, &str)| (*of == noun || *of == ANY) && *option == stray;
    let (_, _, instead) = OPTIONS.iter().find(fits)?;
    let place = typed.rest.iter().position(|word| word == stray);
    let next = place.and_then(|place| typed.rest.get(place + 1));
    let value = next.filter(|next| !next.starts_with('-'));
    let instead = match (instead.split_once(' '), value) {
        (Some((name, place)), Some(value)) if is_filled(place) => {
            is_value_of(place, value).then_some(name)?
        }
        _ => instead,
    };
    let lists = typed.words.len() == 1 && typed.has_verb(&noun, "list");
    let mut line = vec![noun];
    line.extend(lists.then(|| "list".to_owned()));
    line.extend(typed.words.iter().skip(1).map(|word| quoted(word)));
    line.extend(typed.rest.iter().map(|word| {
        if word == stray {
            instead.to_owned()
        } else {
            quoted(word)
        }
    }));
    Some(with_options(line, typed, typed.customer.as_deref()))
}

/// Whether what was typed goes into this place; a fixed word is all that there is.
fn is_filled(place: &str) -> bool {
    is_period(place) || place.chars().all(char::is_uppercase)
}

fn is_value_of(place: &str, value: &str) -> bool {
    match place {
        "ID" => is_number(value),
        "DAY" => is_period(value),
        _ => true,
    }
}

/// A word that is no argument, and stands behind an option.
fn behind_option(typed: &Typed, stray: &str) -> Option<String> {
    let (noun, verb) = first_two(typed);
    let fits =
        |(one, two, _): &&(&str, &str, &str)| *one == noun && (two.is_empty() || *two == verb);
    let (_, verb, option) = BEHIND_OPTION.iter().find(fits)?;
    let is_of_customer = is_number(stray) || CUSTOMER.contains(&stray);
    if *option == "--search" && is_of_customer {
        return None;
    }
    let command = if verb.is_empty() { 1 } else { 2 };
    let arguments = typed.words.get(command..)?;
    let place = arguments.iter().position(|word| word == stray)?;
    let (before, behind) = arguments.split_at(place);
    let mut line = vec![noun];
    line.extend((!verb.is_empty()).then(|| (*verb).to_owned()));
    line.extend(before.iter().map(|word| quoted(word)));
    line.push((*option).to_owned());
    line.extend(behind.iter().chain(&typed.rest).map(|word| quoted(word)));
    Some(with_options(line, typed, typed.customer.as_deref()))
}

/// A word that is no command.
fn tried(typed: &Typed, stray: &str) -> Option<String> {
    let (first, second) = first_two(typed);
    let is_first = typed.word(0) == Some(stray);
    if !is_first && typed.word(1) != Some(stray) {
        return None;
    }
    let fits = |(one, two, _): &&(&str, &str, &str)| *one == first && *two == second;
    if let Some((_, _, command)) = TRIED_SECOND.iter().find(fits) {
        return Some(filled(command, typed, 2));
    }
    if is_first && let Some(command) = of_customer(typed, &first) {
        return Some(command);
    }
    if !is_first {
        let about = About {
            words: typed.words.get(2..)?.to_vec(),
            customer: typed.customer.clone(),
            period: None,
        };
        return about.with_verb(&first, &second, typed);
    }
    // The verb in front of the noun.
    about(typed, 2)
        .with_verb(&second, &first, typed)
        .or_else(|| Some(filled(tried_first(&first)?, typed, 1)))
}

/// A word that is nearly a command.
fn slip(typed: &Typed, stray: &str) -> Option<String> {
    let is_command = typed.words.iter().take(2).any(|word| word == stray);
    let words = slips::corrected(typed).filter(|_| is_command)?;
    let line = words.iter().chain(&typed.rest);
    let line = line.map(|word| quoted(word)).collect();
    Some(with_options(line, typed, typed.customer.as_deref()))
}

/// `suspend 77`: a number alone is a customer's, and no name of a server.
fn of_customer(typed: &Typed, word: &str) -> Option<String> {
    let verb = words_for(word).find(|verb| ["suspend", "resume"].contains(verb))?;
    match typed.words.as_slice() {
        [_, number] if is_number(number) && typed.customer.is_none() => {
            let line = vec![format!("customer {verb} {number}")];
            Some(with_options(line, typed, None))
        }
        _ => None,
    }
}

/// What a line is about: the words behind its verb, and whose records are meant.
struct About {
    words: Vec<String>,
    customer: Option<String>,
    /// For how long.
    period: Option<String>,
}

impl About {
    /// A noun with the verb that a word stands for.
    fn with_verb(&self, noun: &str, word: &str, typed: &Typed) -> Option<String> {
        let verb = verb_for(typed, noun, word, &self.words)?;
        let mut line = vec![noun.to_owned(), verb.to_owned()];
        let words = self.words.iter().chain(&typed.rest);
        line.extend(words.map(|word| quoted(word)));
        Some(with_options(line, typed, self.customer.as_deref()))
    }
}

/// The verb of a noun that a word stands for.
fn verb_for<'a>(typed: &Typed, noun: &str, word: &'a str, named: &[String]) -> Option<&'a str> {
    let verb = words_for(word).find(|verb| typed.has_verb(noun, verb))?;
    let nothing_to_show = verb == "show" && named.is_empty() && typed.has_verb(noun, "list");
    Some(if nothing_to_show { "list" } else { verb })
}

fn tried_first(word: &str) -> Option<&'static str> {
    words_for(word).find_map(|word| {
        let (_, command) = TRIED_FIRST.iter().find(|(tried, _)| *tried == word)?;
        Some(*command)
    })
}

/// A word, and the verbs that it is another word for.
fn words_for(word: &str) -> impl Iterator<Item = &str> {
    let others = OTHER_WORDS.iter().find(|(other, _)| *other == word);
    let verbs = others.into_iter().flat_map(|(_, verbs)| *verbs).copied();
    std::iter::once(word).chain(verbs)
}

/// A noun with options only: its list is meant.
fn without_verb(typed: &Typed) -> Option<String> {
    let (noun, _) = first_two(typed);
    let narrowed = typed.customer.is_some() || !typed.rest.is_empty();
    if typed.words.len() != 1 || !narrowed || !typed.has_verb(&noun, "list") {
        return None;
    }
    let mut line = vec![noun, "list".to_owned()];
    line.extend(typed.rest.iter().map(|word| quoted(word)));
    Some(with_options(line, typed, typed.customer.as_deref()))
}

/// A customer without -c.
fn stray_customer(typed: &Typed, stray: &str) -> Option<String> {
    let is_of_customer = is_number(stray) || CUSTOMER.contains(&stray);
    if !is_of_customer || typed.customer.is_some() {
        return None;
    }
    let (noun, _) = first_two(typed);
    if noun == "customer" && typed.words.len() > 2 {
        return None;
    }
    // A number behind the verb of a rule is a port.
    if noun == "rules" && !matches!(typed.word(1), None | Some("list" | "summary")) {
        return None;
    }
    if noun == "customer" && is_number(stray) {
        return Some(with_options(
            vec![format!("customer show {stray}")],
            typed,
            None,
        ));
    }
    let alone = [("report", REPORT), ("sso", SIGN_IN)];
    if let Some((_, command)) = alone.iter().find(|(name, _)| *name == noun) {
        return Some(filled(command, typed, 1));
    }
    let all = typed.words.iter().skip(1).chain(&typed.rest);
    let (numbers, others): (Vec<&String>, Vec<&String>) = all
        .filter(|word| !CUSTOMER.contains(&word.as_str()))
        .partition(|word| is_number(word));
    let [customer] = numbers.as_slice() else {
        return None;
    };
    let lists = typed.has_verb(&noun, "list");
    let mut line = vec![noun];
    if others.iter().all(|word| word.starts_with('-')) && lists {
        line.push("list".to_owned());
    }
    line.extend(others.into_iter().map(|word| quoted(word)));
    Some(with_options(line, typed, Some(customer)))
}

/// A record behind its noun: it is to be shown.
fn stray_record(typed: &Typed, stray: &str) -> Option<String> {
    let (noun, _) = first_two(typed);
    // A word of letters alone is a verb that there is not.
    let is_record = stray.contains(['.', ':']) || stray.contains(|c: char| c.is_ascii_digit());
    if typed.words.len() != 2 || !is_record || !typed.has_verb(&noun, "show") {
        return None;
    }
    let line = vec![noun, "show".to_owned(), quoted(stray)];
    Some(with_options(line, typed, typed.customer.as_deref()))
}

/// What stands behind the first words, without fillers, and the customer.
fn about(typed: &Typed, behind: usize) -> About {
    let mut customer = typed.customer.clone();
    let mut period = None;
    let mut words: Vec<String> = Vec::new();
    let mut before = typed.words.iter().take(behind).next_back();
    for word in typed.words.iter().skip(behind) {
        let named = before.is_some_and(|before| CUSTOMER.contains(&before.as_str()));
        let filler = FILLERS.contains(&word.as_str()) || CUSTOMER.contains(&word.as_str());
        if named && is_number(word) {
            customer = Some(word.clone());
        } else if before.is_some_and(|before| before == "for") && is_period(word) {
            period = Some(word.clone());
        } else if !filler {
            words.push(word.clone());
        }
        before = Some(word);
    }
    About {
        words,
        customer,
        period,
    }
}

/// Puts what was typed into the places of a command.
fn filled(command: &str, typed: &Typed, behind: usize) -> String {
    let About {
        mut words,
        mut customer,
        mut period,
    } = about(typed, behind);
    let needs_customer = command.contains("-c ID");
    if let Some(place) = words.iter().position(|word| is_number(word))
        && needs_customer
        && customer.is_none()
    {
        customer = Some(words.remove(place));
    }
    let mut line: Vec<String> = Vec::new();
    let mut places = command.split(' ');
    while let Some(place) = places.next() {
        let given = place == "-c" || typed.rest.iter().any(|word| word == place);
        match place {
            option if option.starts_with('-') && given => {
                places.next();
            }
            "PORT" => {
                line.extend(ports(&mut words));
                line.extend(period.take().map(|period| format!("--expires {period}")));
            }
            "SERVICE" => line.push(take(&mut words, is_number, place)),
            "ID" if line.first().is_some_and(|noun| noun == "customer") => {
                line.push(
                    customer
                        .take()
                        .unwrap_or_else(|| take(&mut words, |_| true, place)),
                );
            }
            "ENDPOINT" => line.push(take(&mut words, is_server, place)),
            "ENDPOINT..." => line.extend(take_all(&mut words, is_server, "ENDPOINT")),
            "ENDPOINT+" => match take_all(&mut words, is_server, "ENDPOINT").as_slice() {
                [one] => line.push(one.clone()),
                several => line.extend(several.iter().map(|server| format!("-e {server}"))),
            },
            "ALERT..." => line.extend(take_all(&mut words, |_| true, "ALERT")),
            "IP..." => {
                line.push(take(&mut words, |_| true, "IP"));
                line.extend(words.extract_if(.., |word| word.parse::<IpAddr>().is_ok()));
            }
            place if place.chars().all(char::is_uppercase) && place != "TEXT" => {
                line.push(take(&mut words, |_| true, place));
            }
            literal => line.push(literal.to_owned()),
        }
    }
    let is_asked = |option: &&str| typed.rest.iter().any(|word| word == option);
    if ["--all", "--help", "-h"].iter().any(is_asked) {
        line.retain(|word| !["ALERT", "ENDPOINT"].contains(&word.as_str()));
    } else if [SUSPEND, RESUME].contains(&command) && customer.is_some() {
        // Nothing but the customer was named: all of their servers are meant.
        let nothing_named = line.iter_mut().filter(|place| *place == "ENDPOINT");
        nothing_named.for_each(|place| *place = "--all".to_owned());
    }
    if command == MOVE && typed.customer.is_none() {
        // Who is named behind it is where it goes, and not whose it is.
        line.extend(customer.take().map(|new| format!("--customer-to {new}")));
    }
    line.extend(typed.rest.iter().map(|word| quoted(word)));
    let unknown = needs_customer.then_some("ID");
    with_options(line, typed, customer.as_deref().or(unknown))
}

fn take(words: &mut Vec<String>, fits: fn(&str) -> bool, place: &str) -> String {
    match words.iter().position(|word| fits(word)) {
        Some(found) => quoted(&words.remove(found)),
        None => place.to_owned(),
    }
}

fn take_all(words: &mut Vec<String>, fits: fn(&str) -> bool, place: &str) -> Vec<String> {
    let fitting = words.extract_if(.., |word| fits(word));
    let fitting: Vec<String> = fitting.map(|word| quoted(&word)).collect();
    match fitting.is_empty() {
        true => vec![place.to_owned()],
        false => fitting,
    }
}

fn is_server(word: &str) -> bool {
    !PortSpec::looks_like_port(word)
}

fn ports(words: &mut Vec<String>) -> Vec<String> {
    let is_port = |word: &mut String| PortSpec::parse(word).is_ok();
    let ports: Vec<String> = words.extract_if(.., is_port).collect();
    if ports.is_empty() {
        vec!["PORT".to_owned()]
    } else {
        ports
    }
}

fn with_options(mut line: Vec<String>, typed: &Typed, customer: Option<&str>) -> String {
    line.extend(typed.options.iter().map(|word| quoted(word)));
    if let Some(customer) = customer {
        line.push(format!("-c {}", quoted(customer)));
    }
    line.join(" ")
}

/// `7d`, as the time that something lasts.
fn is_period(word: &str) -> bool {
    let count = word.strip_suffix(['d', 'w', 'm', 'y']);
    count.is_some_and(is_number)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}
