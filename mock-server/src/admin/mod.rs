//! The mock's admin API, under `/_mock/`: JSON in and out, errors as `{"error": sentence}`.

pub(crate) mod call;
pub(crate) mod controls;
pub(crate) mod guard;
pub(crate) mod input;
pub(crate) mod router;
pub(crate) mod routes;
