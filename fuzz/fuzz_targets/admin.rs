//! [`secmon_fuzz::admin`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| secmon_fuzz::admin(input));
