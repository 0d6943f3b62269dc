//! [`secmon_fuzz::envelope`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| secmon_fuzz::envelope(input));
