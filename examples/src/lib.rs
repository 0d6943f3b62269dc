//! Runnable integrations.
