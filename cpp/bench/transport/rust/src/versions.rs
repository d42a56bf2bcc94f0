// SPDX-License-Identifier: Apache-2.0
//! Versions of the libraries, as they are pinned.

use std::ffi::{c_char, CString};
use std::sync::LazyLock;

const MANIFEST: &str = include_str!("../Cargo.toml");

static ICEORYX2: LazyLock<CString> = LazyLock::new(|| pinned("iceoryx2"));
static ZENOH: LazyLock<CString> = LazyLock::new(|| pinned("zenoh"));

#[no_mangle]
pub extern "C" fn wirecost_iceoryx2_version() -> *const c_char {
    ICEORYX2.as_ptr()
}

#[no_mangle]
pub extern "C" fn wirecost_zenoh_version() -> *const c_char {
    ZENOH.as_ptr()
}

/// The version in the line `library = … "=VERSION"` of the dependencies.
fn pinned(library: &str) -> CString {
    let start = format!("{library} = ");
    let line = MANIFEST.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
    let version = line.split("\"=").nth(1).and_then(|rest| rest.split('"').next());
    CString::new(version.unwrap_or("unknown")).unwrap_or_default()
}
