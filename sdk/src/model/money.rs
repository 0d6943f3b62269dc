//! Amounts of money, exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::tolerant::{deserialize_by_parsing, invalid_text};

/// An amount of money in decimal: 0.10 and 0.20 make 0.30. At most six decimals, and nine digits before the point.
///
/// It travels as a JSON number; a text in place of one is read too.
///
/// ```
/// use secmon::model::Money;
///
/// let monthly: Money = "0.1".parse()?;
/// assert_eq!(monthly + Money::from_cents(20), Money::from_cents(30));
/// assert_eq!(serde_json::to_string(&(monthly + "0.2".parse()?))?, "0.3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Money(Millionths);

/// Sums of anything that can be parsed stay far from its ends.
type Millionths = i128;

const DECIMALS: usize = 6;
const WHOLE_DIGITS: usize = 9;

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many hundredths of the currency's unit: 1999 for 19.99.
    pub const fn from_cents(cents: i64) -> Self {
        Self(cents as Millionths * 10_000)
    }
}

deserialize_by_parsing!(Money, number, "an amount of money");

invalid_text! {
    /// A text that is no amount of money.
    InvalidMoney
}

impl FromStr for Money {
    type Err = InvalidMoney;

    fn from_str(text: &str) -> Result<Self, InvalidMoney> {
        let invalid = || {
            InvalidMoney(format!(
                "`{text}` is not an amount of money: write digits, a point and at most {DECIMALS} decimals, as in 19.99"
            ))
        };
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let decimals = match decimals.trim_end_matches('0') {
            "" if !decimals.is_empty() => "0",
            shortest => shortest,
        };
        let all_digits = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !all_digits(whole, WHOLE_DIGITS) || !all_digits(decimals, DECIMALS) {
            return Err(invalid());
        }
        let millionths = format!("{whole}{decimals:0<DECIMALS$}")
            .parse::<Millionths>()
            .map_err(|_| invalid())?;
        let is_negative = digits.len() < text.len();
        Ok(Self(if is_negative { -millionths } else { millionths }))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let amount = self.0.abs();
        let decimals = format!("{:0DECIMALS$}", amount % 1_000_000);
        let shown = decimals.trim_end_matches('0');
        f.pad(&format!("{sign}{}.{shown:0<2}", amount / 1_000_000))
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The nearest double of a decimal this short prints as that decimal.
        serializer.serialize_f64(self.0 as f64 / 1e6)
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u32> for Money {
    type Output = Self;

    fn mul(self, times: u32) -> Self {
        Self(self.0 * Millionths::from(times))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}
