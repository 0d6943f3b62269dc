//! Stateful mock of the partner security-monitoring API.
