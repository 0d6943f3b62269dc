//! Ports and ranges of them.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};

use super::tolerant::invalid_text;

/// A port number, 1 to 65535.
pub type Port = NonZeroU16;

/// One port, or all ports from a first to a last one.
///
/// It is read and written as `22` or `8000-8100`, and sent as `port_start` and `port_end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PortRange {
    #[serde(rename = "port_start")]
    start: Port,
    #[serde(rename = "port_end")]
    end: Port,
}

impl PortRange {
    /// The range of one port.
    pub fn single(port: Port) -> Self {
        Self {
            start: port,
            end: port,
        }
    }

    /// All ports from `start` to `end`, both included.
    ///
    /// # Errors
    /// When `end` lies below `start`.
    pub fn new(start: Port, end: Port) -> Result<Self, InvalidPortRange> {
        if end < start {
            return Err(InvalidPortRange(format!(
                "{start}-{end} is no port range: the last port lies below the first"
            )));
        }
        Ok(Self { start, end })
    }

    /// The first port.
    pub fn start(self) -> Port {
        self.start
    }

    /// The last port; equal to the first for a single port.
    pub fn end(self) -> Port {
        self.end
    }
}

impl From<Port> for PortRange {
    fn from(port: Port) -> Self {
        Self::single(port)
    }
}

invalid_text! {
    /// A text or a pair of numbers that is no port range.
    InvalidPortRange
}

impl FromStr for PortRange {
    type Err = InvalidPortRange;

    fn from_str(text: &str) -> Result<Self, InvalidPortRange> {
        let port = |part: &str| {
            part.parse::<Port>().map_err(|_| {
                InvalidPortRange(format!(
                    "`{text}` is not a port: write a number from 1 to 65535, or a range as in 8000-8100"
                ))
            })
        };
        match text.split_once('-') {
            Some((start, end)) => Self::new(port(start)?, port(end)?),
            None => port(text).map(Self::single),
        }
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            write!(f, "{}", self.start)
        } else {
            write!(f, "{}-{}", self.start, self.end)
        }
    }
}

impl<'de> Deserialize<'de> for PortRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Bounds {
            port_start: Port,
            port_end: Option<Port>,
        }
        let Bounds {
            port_start,
            port_end,
        } = Bounds::deserialize(deserializer)?;
        Self::new(port_start, port_end.unwrap_or(port_start))
            .map_err(|_| D::Error::custom("`port_end` lies below `port_start`"))
    }
}
