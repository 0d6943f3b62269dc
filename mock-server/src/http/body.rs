//! Reading a request's body, bounded in size and time (A7).

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, EXPECT};
use http_body_util::BodyExt;
use hyper::body::Body;
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::values::fields::FieldErrors;
use crate::values::odd_json;

/// The largest body of a partner's call.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// The largest body of an admin call: a whole state fits.
pub(crate) const ADMIN_BODY_LIMIT: usize = 256 * 1024 * 1024;

/// How much more of a body that is too large is still read and thrown away: a client that sends all
/// before it reads would otherwise see a broken connection in place of the answer.
const DRAIN_LIMIT: usize = 16 * 1024 * 1024;

/// How long a client may take to send its body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// A body of so many bytes is always read: as many connections as there may be hold little of them.
const SMALL: usize = 16 * 1024;

/// Room for the bodies that are held at once, over all connections: one large body is nothing, thousands are.
#[derive(Debug)]
pub(crate) struct Room {
    all: usize,
    free: Arc<Semaphore>,
}

impl Room {
    pub(crate) fn of(bytes: usize) -> Self {
        Self {
            all: bytes,
            free: Arc::new(Semaphore::new(bytes)),
        }
    }

    fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(bytes).ok()?;
        Arc::clone(&self.free).try_acquire_many_owned(bytes).ok()
    }

    /// A body that takes its room until nobody has it any more; all of it, where it is larger than that.
    pub(crate) fn hold(&self, bytes: Bytes) -> Option<Bytes> {
        if bytes.len() <= SMALL {
            return Some(bytes);
        }
        let room = self.take(bytes.len().min(self.all))?;
        Some(Bytes::from_owner(HeldBody { bytes, _room: room }))
    }
}

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
    /// The bodies of others take all the room there is.
    NoRoom,
}

/// Reads a body to its end, or until it is larger than `limit` bytes. It takes its room until it is dropped.
pub(crate) async fn read<B>(body: B, limit: usize, room: &Room) -> Result<Sent, Unread>
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() {
        return Ok(Sent::Whole(Bytes::new()));
    }
    tokio::time::timeout(BODY_TIMEOUT, collect(body, limit, room))
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
        tokio::spawn(tokio::time::timeout(BODY_TIMEOUT, drain(body, DRAIN_LIMIT)));
    }
}

async fn drain<B>(mut body: B, limit: usize)
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut length = 0;
    while let Some(Ok(frame)) = body.frame().await {
        length += frame.data_ref().map_or(0, Bytes::len);
        if length > limit {
            return;
        }
    }
}

/// Whether a client asks first whether it may send a body that is too large.
pub(crate) fn asks_for_too_much(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let length = text(CONTENT_LENGTH).and_then(|length| length.parse().ok());
    text(EXPECT).is_some_and(|expected| expected.eq_ignore_ascii_case("100-continue"))
        && length.is_some_and(|length: usize| length > BODY_LIMIT)
}

async fn collect<B>(mut body: B, limit: usize, room: &Room) -> Result<Sent, Unread>
where
    B: Body<Data = Bytes> + Unpin,
{
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or(limit);
    let mut begun = Beginning::new(expected.min(limit));
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else {
            continue;
        };
        if begun.length() + data.len() > limit {
            drain(body, DRAIN_LIMIT).await;
            return Ok(Sent::TooLarge(begun.into_bytes()));
        }
        if !begun.push(data, room) {
            drop(begun);
            drain(body, DRAIN_LIMIT).await;
            return Err(Unread::NoRoom);
        }
    }
    Ok(Sent::Whole(begun.into_bytes()))
}

/// The frames so far, in one piece; the common body of one frame is not copied.
struct Beginning {
    first: Bytes,
    joined: BytesMut,
    /// How long the whole will be, as far as the client says.
    expected: usize,
    room: Option<OwnedSemaphorePermit>,
}

impl Beginning {
    fn new(expected: usize) -> Self {
        Self {
            first: Bytes::new(),
            joined: BytesMut::new(),
            expected,
            room: None,
        }
    }

    fn length(&self) -> usize {
        self.first.len().max(self.joined.len())
    }

    /// Whether there is room for it.
    fn push(&mut self, data: Bytes, room: &Room) -> bool {
        if !self.take_room(data.len(), room) {
            return false;
        }
        if self.first.is_empty() {
            self.first = data;
            return true;
        }
        if self.joined.is_empty() {
            // Memory that nothing is written into takes none.
            self.joined.reserve(self.expected);
            self.joined.extend_from_slice(&self.first);
        }
        self.joined.extend_from_slice(&data);
        true
    }

    fn take_room(&mut self, more: usize, room: &Room) -> bool {
        let length = self.length() + more;
        if length <= SMALL {
            return true;
        }
        let bytes = if self.room.is_some() { more } else { length };
        let Some(taken) = room.take(bytes) else {
            return false;
        };
        match &mut self.room {
            Some(room) => room.merge(taken),
            none => *none = Some(taken),
        }
        true
    }

    fn into_bytes(self) -> Bytes {
        let bytes = if self.joined.is_empty() {
            self.first
        } else {
            self.joined.freeze()
        };
        match self.room {
            Some(room) => Bytes::from_owner(HeldBody { bytes, _room: room }),
            None => bytes,
        }
    }
}

/// A body that gives its room back when nobody has it any more.
struct HeldBody {
    bytes: Bytes,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_takes_room_until_it_is_dropped() {
        let room = Room::of(3 * SMALL);
        let of = |length: usize| Bytes::from(vec![0; length]);
        let first = room.hold(of(2 * SMALL)).expect("room");
        let copy = first.clone();
        drop(first);
        assert!(room.hold(of(2 * SMALL)).is_none());
        let small = room.hold(of(SMALL)).expect("small ones always have room");
        drop(copy);
        let larger_than_all = room.hold(of(9 * SMALL)).expect("room");
        assert_eq!(larger_than_all.len(), 9 * SMALL);
        assert!(room.hold(of(2 * SMALL)).is_none());
        drop((small, larger_than_all));
        assert!(room.hold(of(3 * SMALL)).is_some());
    }
}
