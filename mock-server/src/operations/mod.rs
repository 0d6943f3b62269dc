//! The operations of the partner API as data, for whatever must know them and answers none.

pub(crate) mod catalogue;
pub(crate) mod documents;
pub(crate) mod group;
pub(crate) mod known_names;
pub(crate) mod paths;
