// SPDX-License-Identifier: Apache-2.0
//! Folders where the processes of one user meet, the same as those of the Python clients: only this
//! user can enter or replace them.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::outcome::Outcome;

/// Bytes of the path of a Unix socket.
pub const MOST_PATH: usize = 107;

const REMEDY: &str = "set XDG_RUNTIME_DIR to a folder of your own";
const ROOT: u32 = 0;
const WRITABLE_BY_ALL: u32 = 0o002;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Makes or checks the folder of a middleware. In place of one whose path has more than `longest`
/// bytes it is one below /tmp, the same for all who mean the same.
pub fn private_folder(middleware: &str, longest: usize) -> Outcome<PathBuf> {
    let mut base = runtime_path().map_err(|error| format!("{error}; {REMEDY}"))?;
    let mut folder = base.join(middleware);
    if folder.as_os_str().len() > longest {
        let short = digest(base.as_os_str().as_bytes());
        base = below_tmp();
        folder = base.join(format!("{middleware}-{short}"));
    }
    for place in [&base, &folder] {
        make(place).map_err(|why| format!("{}: {why}; {REMEDY}", place.display()))?;
    }
    Ok(folder)
}

/// The first eight digits of a SHA-256.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn user() -> u32 {
    // SAFETY: it cannot fail.
    unsafe { libc::getuid() }
}

fn runtime_path() -> io::Result<PathBuf> {
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(runtime) if !runtime.is_empty() => Ok(std::path::absolute(runtime)?.join("wirecost")),
        _ => Ok(below_tmp()),
    }
}

fn below_tmp() -> PathBuf {
    PathBuf::from(format!("/tmp/wirecost-{}", user()))
}

fn make(folder: &Path) -> Outcome<()> {
    let why = |error: io::Error| error.to_string();
    let above = folder.ancestors().skip(1).find(|place| place.exists());
    check_way(above.unwrap_or(Path::new("/")))?;
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder).map_err(why)?;
    let status = fs::symlink_metadata(folder).map_err(why)?;
    check_folder(&status)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(why)
}

fn check_folder(status: &Metadata) -> Outcome<()> {
    if !status.is_dir() {
        return Err("not a folder, or a link; remove it".to_owned());
    }
    if status.uid() != user() {
        return Err(format!("belongs to user {}, not to you", status.uid()));
    }
    if status.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err("can be written by others".to_owned());
    }
    Ok(())
}

/// Checks that only root and this user can put something else at a path.
fn check_way(path: &Path) -> Outcome<()> {
    let real = path.canonicalize().map_err(|error| error.to_string())?;
    for place in real.ancestors() {
        let status = place.metadata().map_err(|error| error.to_string())?;
        if ![ROOT, user()].contains(&status.uid()) {
            return Err(format!("{} belongs to another user", place.display()));
        }
        if status.mode() & WRITABLE_BY_ALL != 0 && status.mode() & STICKY == 0 {
            return Err(format!("everybody can write {}", place.display()));
        }
    }
    Ok(())
}
