// SPDX-License-Identifier: Apache-2.0
//! Lock files that the kernel releases with the process that holds them, as Python's
//! `system/locks.py` has them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::outcome::Outcome;
use crate::private_folder::user;

/// How long others may be coming or going.
const DOOR: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(10);

/// A file that this process has locked. Dropping it removes that file, and those beside it.
pub struct Lock {
    path: PathBuf,
    beside: Vec<PathBuf>,
    /// Locked until it is closed.
    _file: File,
}

impl Lock {
    pub fn beside(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.beside.extend(paths);
        self
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        for path in self.beside.iter().chain([&self.path]) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Takes the lock; `WouldBlock` where another process has it or it is another user's.
pub fn hold(path: &Path, create: bool) -> io::Result<Lock> {
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(create)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(path)?;
        let status = file.metadata()?;
        if status.uid() != user() || !status.is_file() {
            return Err(ErrorKind::WouldBlock.into());
        }
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ErrorKind::WouldBlock.into(),
            TryLockError::Error(error) => error,
        })?;
        // Its last owner may have removed the file before it was locked.
        if fs::symlink_metadata(path).is_ok_and(|now| now.ino() == status.ino()) {
            return Ok(Lock { path: path.to_owned(), beside: Vec::new(), _file: file });
        }
    }
}

/// Lets one process after the other do something in the folder, as long as the lock lives.
pub fn alone(folder: &Path) -> Outcome<Lock> {
    let end = Instant::now() + DOOR;
    loop {
        match hold(&folder.join("door.lock"), true) {
            Ok(lock) => return Ok(lock),
            Err(error) if error.kind() != ErrorKind::WouldBlock => {
                let place = folder.display();
                return Err(format!("{place}: {error}; make room, or set XDG_RUNTIME_DIR"));
            }
            Err(_) if Instant::now() >= end => {
                return Err(format!(
                    "{}: another process has been coming or going for {} s; end it",
                    folder.display(),
                    DOOR.as_secs()
                ));
            }
            Err(_) => sleep(AGAIN),
        }
    }
}
