// SPDX-License-Identifier: Apache-2.0
//! TLSF (Masmano, Ripoll, Crespo, Real: TLSF: a new dynamic memory allocator for real-time systems,
//! ECRTS 2004) as a malloc to preload: crate rlsf behind one lock, over one range of addresses that
//! is used from its beginning on. Nothing goes back to the system.
//!
//! `WIRECOST_TLSF_POOL`: so many bytes are touched when the program starts.
#![no_std]

use core::alloc::Layout;
use core::ffi::{c_int, c_void};
use core::ptr::{addr_of_mut, copy_nonoverlapping, null_mut, write_bytes, NonNull};
use rlsf::{FlexSource, FlexTlsf, GRANULARITY};

/// Addresses, not memory: pages come when they are written.
const RESERVED: usize = 1 << 35;
const STEP: usize = 1 << 20;
const ALIGNMENT: usize = 16;
const PAGE: usize = 4096;

struct Range {
    start: *mut c_void,
}

impl Range {
    fn rounded(size: usize) -> Option<usize> {
        let rounded = size.checked_next_multiple_of(STEP)?;
        (rounded <= RESERVED).then_some(rounded)
    }
}

unsafe impl FlexSource for Range {
    unsafe fn alloc(&mut self, least: usize) -> Option<NonNull<[u8]>> {
        let size = Self::rounded(least)?;
        if self.start.is_null() {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let mapped = libc::mmap(null_mut(), RESERVED, access, kind, -1, 0);
            if mapped == libc::MAP_FAILED {
                return None;
            }
            self.start = mapped;
        }
        let start = NonNull::new(self.start.cast())?;
        Some(NonNull::slice_from_raw_parts(start, size))
    }

    unsafe fn realloc_inplace_grow(&mut self, _: NonNull<[u8]>, least: usize) -> Option<usize> {
        Self::rounded(least)
    }

    fn supports_realloc_inplace_grow(&self) -> bool {
        true
    }

    fn is_contiguous_growable(&self) -> bool {
        true
    }

    fn min_align(&self) -> usize {
        GRANULARITY
    }
}

type Tlsf = FlexTlsf<Range, usize, usize, { usize::BITS as usize }, { usize::BITS as usize }>;

static mut TLSF: Tlsf = FlexTlsf::new(Range { start: null_mut() });
static mut LOCK: libc::pthread_mutex_t = libc::PTHREAD_MUTEX_INITIALIZER;

extern "C" fn lock() {
    unsafe { libc::pthread_mutex_lock(addr_of_mut!(LOCK)) };
}

extern "C" fn unlock() {
    unsafe { libc::pthread_mutex_unlock(addr_of_mut!(LOCK)) };
}

fn locked<T>(work: impl FnOnce(&mut Tlsf) -> T) -> T {
    lock();
    let result = work(unsafe { &mut *addr_of_mut!(TLSF) });
    unlock();
    result
}

/// That of a block, as far as rlsf tells them apart: below its granularity the header lies before
/// the block, so the block begins at an odd multiple of half of that.
fn alignment_of(block: *mut c_void) -> usize {
    if block as usize % GRANULARITY == 0 {
        GRANULARITY
    } else {
        ALIGNMENT
    }
}

fn allocated(size: usize, alignment: usize) -> *mut c_void {
    let layout = Layout::from_size_align(size.max(1), alignment.max(ALIGNMENT));
    let made = layout
        .ok()
        .and_then(|one| locked(|tlsf| tlsf.allocate(one)));
    made.map_or_else(out_of_memory, |block| block.as_ptr().cast())
}

fn out_of_memory() -> *mut c_void {
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    null_mut()
}

#[no_mangle]
pub extern "C" fn malloc(size: usize) -> *mut c_void {
    allocated(size, ALIGNMENT)
}

/// # Safety
/// As in C.
#[no_mangle]
pub unsafe extern "C" fn free(block: *mut c_void) {
    if let Some(given) = NonNull::new(block.cast()) {
        locked(|tlsf| tlsf.deallocate(given, alignment_of(block)));
    }
}

#[no_mangle]
pub extern "C" fn calloc(number: usize, size: usize) -> *mut c_void {
    let Some(bytes) = number.checked_mul(size) else {
        return out_of_memory();
    };
    let block = allocated(bytes, ALIGNMENT);
    if !block.is_null() {
        unsafe { write_bytes(block.cast::<u8>(), 0, bytes) };
    }
    block
}

/// # Safety
/// As in C.
#[no_mangle]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(given) = NonNull::new(block.cast()) else {
        return malloc(size);
    };
    if size == 0 {
        free(block);
        return null_mut();
    }
    if alignment_of(block) != ALIGNMENT {
        // rlsf would have to know how it was aligned.
        let moved = malloc(size);
        if !moved.is_null() {
            let kept = malloc_usable_size(block).min(size);
            copy_nonoverlapping(block.cast::<u8>(), moved.cast::<u8>(), kept);
            free(block);
        }
        return moved;
    }
    let layout = Layout::from_size_align(size, ALIGNMENT);
    let made = layout
        .ok()
        .and_then(|one| locked(|tlsf| tlsf.reallocate(given, one)));
    made.map_or_else(out_of_memory, |grown| grown.as_ptr().cast())
}

#[no_mangle]
pub extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    allocated(size, alignment)
}

#[no_mangle]
pub extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    allocated(size, alignment)
}

/// # Safety
/// As in C.
#[no_mangle]
pub unsafe extern "C" fn posix_memalign(
    made: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    if !alignment.is_power_of_two() || alignment % size_of::<usize>() != 0 {
        return libc::EINVAL;
    }
    let block = allocated(size, alignment);
    if block.is_null() {
        return libc::ENOMEM;
    }
    *made = block;
    0
}

#[no_mangle]
pub extern "C" fn valloc(size: usize) -> *mut c_void {
    allocated(size, PAGE)
}

#[no_mangle]
pub extern "C" fn pvalloc(size: usize) -> *mut c_void {
    size.checked_next_multiple_of(PAGE)
        .map_or_else(out_of_memory, |whole| valloc(whole))
}

/// # Safety
/// As in C.
#[no_mangle]
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    NonNull::new(block.cast()).map_or(0, |given| Tlsf::allocation_usable_size(given))
}

extern "C" fn start() {
    unsafe {
        libc::pthread_atfork(Some(lock), Some(unlock), Some(unlock));
        let pool = libc::getenv(c"WIRECOST_TLSF_POOL".as_ptr());
        if !pool.is_null() {
            free(calloc(libc::strtoul(pool, null_mut(), 10) as usize, 1));
        }
    }
}

#[used]
#[link_section = ".init_array"]
static START: extern "C" fn() = start;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { libc::abort() }
}
