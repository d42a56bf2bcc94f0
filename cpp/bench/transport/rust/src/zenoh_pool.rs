// SPDX-License-Identifier: Apache-2.0
//! Zenoh's shared memory: the pool of a publisher, as large as the Python client's.

use std::fs;
use std::path::Path;

use zenoh::shm::{
    GarbageCollect, PosixShmProviderBackend, ShmProvider, ShmProviderBuilder, ZShmMut,
};
use zenoh::Wait;

use crate::outcome::{one_line, Outcome};
use crate::shared_memory::{check_room, reserve_files, END_BYTES, FOLDER};

const LEAST_BYTES: usize = 1 << 25;
/// Of the largest message: those that were sent and not yet received everywhere.
const MESSAGES: usize = 8;
const LEAST_MESSAGES: usize = 4;

pub struct Pool(ShmProvider<PosixShmProviderBackend>);

impl Pool {
    /// `most`: bytes of the largest message.
    pub fn new(most: usize) -> Outcome<Self> {
        let fits = LEAST_MESSAGES * most <= LEAST_BYTES;
        let nbytes = if fits { LEAST_BYTES } else { MESSAGES * most };
        let what = format!("zenoh-shm's pool of {nbytes} bytes");
        allow_locks();
        check_room(nbytes + END_BYTES, &what)?;
        let provider = ShmProviderBuilder::default_backend(nbytes).wait().map_err(|error| {
            format!(
                "{what} cannot be made ({}): zenoh locks it in memory; raise the limit (ulimit -l, \
                 or a container's --ulimit memlock=-1)",
                one_line(error)
            )
        })?;
        reserve_files(|name| name.ends_with(".zenoh"), &what)?;
        Ok(Self(provider))
    }

    /// A buffer; none where what is not yet received everywhere takes all.
    pub fn room(&self, nbytes: usize) -> Option<ZShmMut> {
        self.0.alloc(nbytes).with_policy::<GarbageCollect>().wait().ok()
    }
}

/// Lets zenoh lock as many bytes as this process may: it locks all that it shares.
pub fn allow_locks() {
    // SAFETY: the calls fill, and read, what they are given.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        if libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_MEMLOCK, &limit);
        }
    }
}

/// Removes the files that only this process has open: zenoh misses some when it ends. To be called
/// when no session is open any more.
pub fn remove_own_files() {
    for entry in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let (Ok(path), Ok(number)) =
            (entry.path().read_link(), entry.file_name().to_string_lossy().parse())
        else {
            continue;
        };
        // SAFETY: zenoh's own lock, which it never lets go; others have it, too, while they live.
        if is_zenohs(&path) && unsafe { libc::flock(number, libc::LOCK_EX | libc::LOCK_NB) } == 0 {
            let _ = fs::remove_file(path);
        }
    }
}

fn is_zenohs(path: &Path) -> bool {
    path.starts_with(FOLDER) && path.extension().is_some_and(|suffix| suffix == "zenoh")
}
