// SPDX-License-Identifier: Apache-2.0
//! One program per library, as in C++; its driver is Python and reads standard output.
//!   verify FOLDER CONTENT   each mode's messages, sent and sent again once read, into files
//!   measure N MODE CONTENT  samples: content, repetition, stage, nanoseconds per message; messages
//!                           that were timed: content, repetition, sent, the bytes, what they
//!                           should be
//!   count MODE CONTENT      allocations per message, if the library that counts is preloaded
//! CONTENT: a file of messages, each behind its length in 8 bytes, little-endian.
mod harness;
#[cfg(feature = "buffa")]
#[path = "library/buffa.rs"]
mod library;
#[cfg(feature = "prost")]
#[path = "library/prost.rs"]
mod library;
#[cfg(feature = "rkyv")]
#[path = "library/rkyv.rs"]
mod library;
/// What is generated for a schema.
#[allow(clippy::all, unreachable_patterns, unused_imports, unused_variables)]
mod schema {
    include!("schema.rs");
}
mod stopwatch;
mod values;
/// Messages by prost.
#[allow(clippy::all)]
mod wire {
    include!(concat!(env!("OUT_DIR"), "/wire.rs"));
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Err(error) = harness::run(&words) {
        eprintln!("{error}");
        std::process::exit(2);
    }
}
