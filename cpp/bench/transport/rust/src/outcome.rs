// SPDX-License-Identifier: Apache-2.0
//! What every function here returns: a value, or one line that says what is wrong and what to do.

use std::fmt::Display;

pub type Outcome<T> = Result<T, String>;

/// A reason without the place in a library's source, on one line.
pub fn one_line(error: impl Display) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.split(" at /").next().unwrap_or_default().trim_end().to_owned()
}
