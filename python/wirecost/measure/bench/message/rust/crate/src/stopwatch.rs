// SPDX-License-Identifier: Apache-2.0
//! Time that this thread ran: elapsed, without what it waited for a processor.
use std::ffi::{c_int, c_long};
use std::time::Instant;

const CLOCK_THREAD_CPUTIME_ID: c_int = 3;

/// The kernel's `timespec`.
#[repr(C)]
#[derive(Default)]
struct Time {
    seconds: i64,
    nanoseconds: c_long,
}

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
}

/// The thread's own clock is read outside the elapsed time, as reading it may take longer than a
/// short pass.
pub struct Stopwatch {
    ran_before: i64,
    begin: Instant,
}

impl Stopwatch {
    pub fn start() -> Self {
        let ran_before = thread_ns();
        Self { ran_before, begin: Instant::now() }
    }

    pub fn nanoseconds(&self) -> f64 {
        let elapsed = self.begin.elapsed().as_secs_f64() * 1e9;
        elapsed.min((thread_ns() - self.ran_before) as f64)
    }
}

fn thread_ns() -> i64 {
    let mut ran = Time::default();
    // SAFETY: the call fills what it is given.
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut ran) };
    ran.seconds * 1_000_000_000 + ran.nanoseconds
}
