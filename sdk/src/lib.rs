//! Typed async client for the partner security-monitoring API.
