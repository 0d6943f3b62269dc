//! [`secmon_fuzz::retry_after`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| secmon_fuzz::retry_after(input));
