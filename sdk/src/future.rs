//! The future that the traits of this crate return.

use std::future::Future;
use std::pin::Pin;

/// A future on the heap, as the traits of this crate return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
