//! Reading a request's body, bounded in size and time (A7).

mod odd_json;

pub(crate) use odd_json::stand_in;

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body_util::BodyExt;
use hyper::body::Body;
use serde_json::{Map, Value};

use crate::fields::FieldErrors;

/// The largest body of a partner's call.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// How much more of a body that is too large is still read and thrown away: a client that sends all
/// before it reads would otherwise see a broken connection in place of the answer.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;

/// How long a client may take to send its body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// A request's body, as far as it was read.
#[derive(Debug)]
pub(crate) enum Sent {
    /// All of it.
    Whole(Bytes),
    /// More than the limit; the bytes are how it begins.
    TooLarge(Bytes),
}

impl Sent {
    /// The bytes that were read.
    pub(crate) fn bytes(&self) -> &Bytes {
        match self {
            Self::Whole(bytes) | Self::TooLarge(bytes) => bytes,
        }
    }
}

/// Why a body could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The client was too slow.
    TimedOut,
    /// The client went away, or broke the rules of HTTP.
    Broken,
}

/// Reads a body to its end, or until it is larger than `limit` bytes.
pub(crate) async fn read<B>(body: B, limit: usize) -> Result<Sent, Unread>
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() {
        return Ok(Sent::Whole(Bytes::new()));
    }
    tokio::time::timeout(BODY_TIMEOUT, collect(body, limit))
        .await
        .unwrap_or(Err(Unread::TimedOut))
}

/// Reads a body that nobody looks at and throws it away, beside the answer. One that is larger
/// than what is drained, or too slow, ends the connection behind the answer.
pub(crate) fn pass_over<B>(body: B)
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
{
    if !body.is_end_stream() {
        tokio::spawn(read(body, 0));
    }
}

/// Whether a client asks first whether it may send a body that is too large.
pub(crate) fn asks_for_too_much(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse().ok());
    text(EXPECT).is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue"))
        && length.is_some_and(|length: usize| length > BODY_LIMIT)
}

async fn collect<B>(mut body: B, limit: usize) -> Result<Sent, Unread>
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut begun = Beginning::default();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else {
            continue;
        };
        length += data.len();
        if length <= limit {
            begun.push(data);
        } else if length > limit + DRAIN_LIMIT {
            break;
        }
    }
    let bytes = begun.into_bytes();
    Ok(if length > limit {
        Sent::TooLarge(bytes)
    } else {
        Sent::Whole(bytes)
    })
}

/// The frames so far, in one piece; the common body of one frame is not copied.
#[derive(Default)]
struct Beginning {
    first: Bytes,
    joined: BytesMut,
}

impl Beginning {
    fn push(&mut self, data: Bytes) {
        if self.first.is_empty() {
            self.first = data;
            return;
        }
        if self.joined.is_empty() {
            self.joined.extend_from_slice(&self.first);
        }
        self.joined.extend_from_slice(&data);
    }

    fn into_bytes(self) -> Bytes {
        if self.joined.is_empty() {
            self.first
        } else {
            self.joined.freeze()
        }
    }
}

/// Values that a partner's body may have: the longest list of services has 2,500. Each may take a hundred times the memory
/// of its text.
pub(crate) const MOST_VALUES: usize = 10_000;

/// What stands deeper is nowhere held as values.
const DEEPEST: usize = 200;

/// The JSON object in a body of so many values at most; of a doubled key the last counts.
pub(crate) fn bounded_object(bytes: &[u8], most: usize) -> Result<Map<String, Value>, FieldErrors> {
    if has_more_values(bytes, most) {
        let problem = format!("The body must have at most {most} values: send fewer at a time.");
        return Err(FieldErrors::from([("body".to_owned(), vec![problem])]));
    }
    object(bytes)
}

/// Whether a JSON text has more values than this. A value stands behind each bracket and comma.
fn has_more_values(bytes: &[u8], most: usize) -> bool {
    if bytes.len() <= most {
        return false;
    }
    let (mut values, mut depth, mut is_text) = (0, 0_usize, false);
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => is_text = !is_text,
            b'\\' if is_text => drop(rest.next()),
            _ if is_text => {}
            b'[' | b'{' => {
                depth += 1;
                values += usize::from(depth <= DEEPEST);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => values += usize::from(depth <= DEEPEST),
            _ => {}
        }
    }
    values > most
}

/// The JSON object in a body; of a doubled key the last counts.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, FieldErrors> {
    let problem = if bytes.is_empty() {
        "The request needs a body: send a JSON object.".to_owned()
    } else {
        match serde_json::from_slice(bytes).or_else(|_| odd_json::value(bytes)) {
            Ok(Value::Object(object)) => return Ok(object),
            Ok(_) => "The body must be a JSON object.".to_owned(),
            Err(error) => format!("The body is not valid JSON: {error}."),
        }
    };
    Err(FieldErrors::from([("body".to_owned(), vec![problem])]))
}
