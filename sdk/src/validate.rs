//! The limits of the specification, checked before anything is sent.
//!
//! Each check is a function that gives the sentence of a 422 for a value that is refused.

use std::borrow::Borrow;
use std::fmt::Display;

use crate::FieldErrors;
use crate::model::{Address, Money, PlanSlug, ProductSlug};

impl FieldErrors {
    /// Adds the sentence of a check that refuses the value of a field.
    pub(crate) fn check<T: Borrow<V>, V: ?Sized>(
        &mut self,
        field: &str,
        value: Option<&T>,
        check: impl Fn(&V) -> Option<String>,
    ) {
        if let Some(sentence) = value.and_then(|value| check(value.borrow())) {
            self.add(field, sentence);
        }
    }
}

/// At most so many characters (Unicode scalar values).
pub(crate) fn most(characters: usize) -> impl Fn(&str) -> Option<String> {
    move |text| too_long(text, characters)
}

fn too_long(text: &str, most: usize) -> Option<String> {
    (text.chars().count() > most).then(|| format!("It may have at most {most} characters."))
}

/// Not empty, and at most so many characters.
pub(crate) fn text_to(most: usize) -> impl Fn(&str) -> Option<String> {
    move |text| match text.is_empty() {
        true => Some("It is required.".to_owned()),
        false => too_long(text, most),
    }
}

/// Between two numbers of characters.
pub(crate) fn length(least: usize, most: usize) -> impl Fn(&str) -> Option<String> {
    move |text| {
        (!(least..=most).contains(&text.chars().count()))
            .then(|| format!("It must have {least} to {most} characters."))
    }
}

/// A number between two bounds.
pub(crate) fn between<T: PartialOrd + Display>(least: T, most: T) -> impl Fn(&T) -> Option<String> {
    move |number| {
        (*number < least || *number > most).then(|| format!("It must be from {least} to {most}."))
    }
}

/// At least 1.
pub(crate) fn at_least_one(number: &u32) -> Option<String> {
    (*number == 0).then(|| "It must be at least 1.".to_owned())
}

/// One of these values, as the service would list them.
pub(crate) fn one_of<T: PartialEq + Display>(allowed: &[T]) -> impl Fn(&T) -> Option<String> {
    move |value| {
        (!allowed.contains(value)).then(|| {
            let names: Vec<String> = allowed.iter().map(|name| format!("`{name}`")).collect();
            let (last, others) = names.split_last()?;
            Some(match others {
                [] => format!("It must be {last}."),
                others => format!("It must be {} or {last}.", others.join(", ")),
            })
        })?
    }
}

/// A product, at most 50 characters.
pub(crate) fn product(slug: &ProductSlug) -> Option<String> {
    text_to(50)(slug.as_str())
}

/// A plan, at most 50 characters.
pub(crate) fn plan(slug: &PlanSlug) -> Option<String> {
    too_long(slug.as_str(), 50)
}

/// An IPv4 or IPv6 address, without zone, prefix length or leading zeros; an empty one is as good as none.
pub(crate) fn ip_address(address: &Address) -> Option<String> {
    (!address.as_str().is_empty() && address.ip().is_none())
        .then(|| "It must be an IPv4 or IPv6 address, as in 203.0.113.10.".to_owned())
}

/// An address or a hostname, at most 255 characters.
pub(crate) fn server_address(address: &Address) -> Option<String> {
    text_to(255)(address.as_str())
}

/// A monthly price, 0.01 to 9999.99.
pub(crate) fn monthly_price(amount: &Money) -> Option<String> {
    let [least, most] = [1, 999_999].map(Money::from_cents);
    between(least, most)(amount)
}

/// An e-mail address of at most 255 characters: one `@` between a name and a host, no space (A20).
pub(crate) fn email(text: &str) -> Option<String> {
    let fits = text
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && !host.contains('@') && is_hostname(host));
    if !fits || text.contains(char::is_whitespace) {
        return Some("It must be an e-mail address, as in name@example.com.".to_owned());
    }
    too_long(text, 255)
}

fn is_hostname(text: &str) -> bool {
    text.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
    })
}
