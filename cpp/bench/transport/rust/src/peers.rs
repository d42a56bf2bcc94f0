// SPDX-License-Identifier: Apache-2.0
//! Peers of one user on one machine, as Python's `rendezvous.meet` has them: each has a locked file
//! and a socket in a folder.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::lock::{alone, hold, Lock};
use crate::outcome::Outcome;

/// Calls `open` with this process's socket and those of who came before, of whom exactly the later
/// one of any two knows; what it returns lives as long as the lock.
pub fn meet<T>(
    folder: &Path,
    open: impl FnOnce(&Path, &[PathBuf]) -> Outcome<T>,
) -> Outcome<(T, Lock)> {
    let _door = alone(folder)?;
    let others = living(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let random = RandomState::new().hash_one(0) as u32;
    let path = folder.join(format!("{}-{random:08x}.peer", std::process::id()));
    let socket = path.with_extension("sock");
    let lock = hold(&path, true)
        .map_err(|error| format!("{}: {error}; set XDG_RUNTIME_DIR", path.display()))?
        .beside(beside(&socket));
    Ok((open(&socket, &others)?, lock))
}

/// Returns the sockets of the living, and removes those of the dead.
fn living(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut sockets = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "peer") {
            continue;
        }
        let socket = path.with_extension("sock");
        match hold(&path, false) {
            Ok(dead) => drop(dead.beside(beside(&socket))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => sockets.push(socket),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sockets)
}

/// A socket's file, and the one that zenoh locks while it listens.
fn beside(socket: &Path) -> [PathBuf; 2] {
    let mut locked = socket.as_os_str().to_owned();
    locked.push(".lock");
    [socket.to_owned(), locked.into()]
}
