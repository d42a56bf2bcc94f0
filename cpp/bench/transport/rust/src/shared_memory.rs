// SPDX-License-Identifier: Apache-2.0
//! Room in shared memory, whose files are sparse: who writes where none is left dies of a signal.
//! So room is looked for before, and taken at once.

use std::ffi::CString;
use std::fs;
use std::io;

use crate::outcome::Outcome;

pub const FOLDER: &str = "/dev/shm";
/// Bytes that a library's bookkeeping for one more end may take.
pub const END_BYTES: usize = 1 << 21;

const PAGE: usize = 4096;
/// Since Linux 5.14: memory that madvise cannot allocate is an error and no signal.
const POPULATE_WRITE: i32 = 23;

/// Fails where less than `nbytes` are left for `what`.
pub fn check_room(nbytes: usize, what: &str) -> Outcome<()> {
    match room() {
        Some(left) if left < nbytes as u64 => {
            Err(full(&format!("has {left} bytes left and {what} needs {nbytes}")))
        }
        _ => Ok(()),
    }
}

/// Takes the memory behind mapped addresses.
pub fn reserve(start: usize, nbytes: usize, what: &str) -> Outcome<()> {
    let begin = start & !(PAGE - 1);
    // SAFETY: it changes no content, and refuses what is not mapped.
    if unsafe { libc::madvise(begin as *mut _, start + nbytes - begin, POPULATE_WRITE) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EFAULT) => {
            Err(full(&format!("has less than the {nbytes} bytes left that {what} needs")))
        }
        Some(libc::EINVAL) => check_room(nbytes, what), // an older kernel
        _ => Ok(()),
    }
}

/// Takes the memory of the files with wanted names that this process can write.
pub fn reserve_files(wanted: impl Fn(&str) -> bool, what: &str) -> Outcome<()> {
    let maps = fs::read("/proc/self/maps").unwrap_or_default();
    for line in String::from_utf8_lossy(&maps).lines() {
        if let Some((start, end)) = writable(line, &wanted) {
            reserve(start, end - start, what)?;
        }
    }
    Ok(())
}

fn writable(line: &str, wanted: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let name = line.split_once("/dev/shm/")?.1;
    let mut words = line.split(' ');
    let (start, end) = words.next()?.split_once('-')?;
    let is_writable = words.next()?.as_bytes().get(1) == Some(&b'w');
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    (is_writable && wanted(name)).then_some(())?;
    Some((address(start)?, address(end)?))
}

/// Bytes left; none where there is no limit.
fn room() -> Option<u64> {
    let folder = CString::new(FOLDER).ok()?;
    // SAFETY: zeros are a value of it, and the call fills it.
    let mut there: libc::statvfs = unsafe { std::mem::zeroed() };
    let done = unsafe { libc::statvfs(folder.as_ptr(), &mut there) };
    (done == 0 && there.f_blocks > 0).then_some(there.f_bavail * there.f_frsize)
}

fn full(why: &str) -> String {
    format!(
        "{FOLDER} {why}: end programs that use it, or make it larger (mount -o remount,size=…, or \
         a container's --shm-size)"
    )
}
