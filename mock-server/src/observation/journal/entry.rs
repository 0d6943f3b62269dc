//! A call as the journal keeps it.

use bytes::Bytes;
use http::{Method, StatusCode};
use secmon_engine::{ChangedRecord, Instant, SandboxHeader};

use super::headers::Headers;
use crate::observation::notice::Notice;

/// Bytes of a body that the journal shows.
pub(super) const BODY_CAP: usize = 64 * 1024;

/// Bytes that are kept beyond those: a secret at the cut is found whole, however it is escaped.
const BEYOND: usize = 16 * 1024;

/// One call as it came. What must not be shown is taken out where it is shown: [`JournalEntry::new`] is the only way.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Rises by one with every call that the server records, in the order of their effects.
    pub(crate) id: u64,
    pub(crate) at: Instant,
    pub(crate) method: Method,
    pub(crate) path: Box<str>,
    pub(crate) query: Option<Box<str>>,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    /// None when nothing was answered.
    pub(crate) status: Option<StatusCode>,
    pub(crate) response_headers: Headers,
    pub(crate) response: Bytes,
    /// Where nothing was answered, whether it was done all the same.
    pub(crate) processed: Option<bool>,
    /// The fault that acted on it.
    pub(crate) fault: Option<u64>,
    pub(crate) sandbox: SandboxHeader,
    /// Texts that must not be shown and that nothing but this call tells.
    pub(crate) secrets: Vec<String>,
    /// The records that it made, changed or removed.
    pub(crate) changed: Box<[ChangedRecord]>,
    pub(crate) notices: Vec<Notice>,
    /// Its notices are told only to tests of the command line itself.
    pub(crate) is_by_staff: bool,
    pub(crate) duration_us: u64,
}

impl Entry {
    /// Bytes that it holds.
    pub(crate) fn size(&self) -> usize {
        let query = self.query.as_ref().map_or(0, |query| query.len());
        let secrets: usize = self.secrets.iter().map(String::len).sum();
        let headers = self.headers.size() + self.response_headers.size();
        let notices: usize = (self.notices.iter())
            .map(|notice| notice.sentence.len())
            .sum();
        let head = self.method.as_str().len() + self.path.len() + query + headers + secrets;
        let changed: usize = (self.changed.iter())
            .map(|record| size_of_val(record) + record.key.len())
            .sum();
        let head = head + notices + changed;
        size_of::<Self>() + head + self.body.len() + self.response.len()
    }
}

/// What the journal keeps of a body: as much as it may show, and nothing of the buffer that it was read into.
pub(crate) fn kept(body: &[u8]) -> Bytes {
    Bytes::copy_from_slice(&body[..body.len().min(BODY_CAP + BEYOND)])
}

/// The same of an answer, which has a buffer of its own.
pub(crate) fn kept_answer(body: &Bytes) -> Bytes {
    if body.len() <= BODY_CAP + BEYOND {
        body.clone()
    } else {
        kept(body)
    }
}
