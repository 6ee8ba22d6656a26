#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| foldback_fuzz::redact(bytes));
