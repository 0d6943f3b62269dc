//! What is seen of the calls that came: journal, notices, events, and the evidence of a run.

pub(crate) mod denied_notices;
pub(crate) mod events;
pub(crate) mod evidence;
pub(crate) mod journal;
pub(crate) mod notice;
pub(crate) mod notices;
