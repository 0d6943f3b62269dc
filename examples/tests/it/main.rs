//! The programs as programs, against the mock in this process; and the error policy.

mod billing_module;
mod bulk_import;
mod customer_area;
mod nightly_sync;
mod policy;
#[cfg(feature = "redis")]
mod shared_budget;
mod support;
