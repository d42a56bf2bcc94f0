// SPDX-License-Identifier: Apache-2.0
//! How a message lies in the memory that iceoryx2 lends: the payload first, trailer and size at the
//! end of the last block, as Python's `iceoryx2/memory.py` has it.

use std::collections::HashMap;
use std::mem::MaybeUninit;

use iceoryx2::prelude::*;

use crate::outcome::Outcome;
use crate::shared_memory::{check_room, reserve};

const TRAILER: usize = 24;
const END: usize = TRAILER + 8;
/// Bytes that iceoryx2 writes into a new file before it lends of it.
const FILE_BYTES: usize = 1 << 16;
/// Places of which it is remembered that they are reserved: the same few are lent over and over.
const MOST_PLACES: usize = 4096;

/// A message is a row of these: lengths are rounded up for the sake of alignment.
#[derive(Debug, Clone, Copy, ZeroCopySend)]
#[type_name("wirecost::Block64")]
#[repr(C)]
pub struct Block {
    bytes: [u8; Block::BYTES],
}

impl Block {
    pub const BYTES: usize = 64;
}

pub fn bytes_of(blocks: &[Block]) -> &[u8] {
    // SAFETY: blocks are bytes without gaps.
    unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), size_of_val(blocks)) }
}

/// Writes messages into lent blocks whose memory it reserves, so that nobody dies of a full disk.
#[derive(Default)]
pub struct Writer {
    most_blocks: usize,
    /// Bytes by address.
    reserved: HashMap<usize, usize>,
}

impl Writer {
    /// Returns the blocks that a message takes, for which there is room.
    pub fn prepare(&mut self, message: &[u8]) -> Outcome<usize> {
        let blocks = (message.len().saturating_sub(TRAILER) + END).div_ceil(Block::BYTES);
        self.make_room(blocks)?;
        Ok(blocks)
    }

    /// Looks for room before iceoryx2 makes a larger file, of which nothing is reserved yet.
    pub fn make_room(&mut self, blocks: usize) -> Outcome<()> {
        if blocks > self.most_blocks {
            let room = blocks * Block::BYTES;
            check_room(room + FILE_BYTES, &format!("a message of {room} bytes"))?;
            self.most_blocks = blocks;
            self.reserved.clear();
        }
        Ok(())
    }

    /// Fills blocks that `prepare` counted; afterwards they may be taken for initialised.
    pub fn write(&mut self, message: &[u8], lent: &mut [MaybeUninit<Block>]) -> Outcome<()> {
        let place = lent.as_mut_ptr().cast::<u8>();
        let room = size_of_val(lent);
        self.reserve(place as usize, room)?;
        let payload = message.len().saturating_sub(TRAILER);
        // SAFETY: the place has room for payload and end, which do not overlap.
        unsafe {
            let end = place.add(room - END);
            place.copy_from_nonoverlapping(message.as_ptr(), payload);
            end.copy_from_nonoverlapping(message.as_ptr().add(payload), message.len() - payload);
            end.add(TRAILER).cast::<u64>().write_unaligned((payload as u64).to_le());
        }
        Ok(())
    }

    /// Fills blocks with as many others.
    pub fn copy(&mut self, from: &[Block], lent: &mut [MaybeUninit<Block>]) -> Outcome<()> {
        self.reserve(lent.as_ptr() as usize, size_of_val(lent))?;
        for (to, block) in lent.iter_mut().zip(from) {
            to.write(*block);
        }
        Ok(())
    }

    fn reserve(&mut self, address: usize, room: usize) -> Outcome<()> {
        if self.reserved.get(&address).is_some_and(|&reserved| reserved >= room) {
            return Ok(());
        }
        if self.reserved.len() >= MOST_PLACES {
            self.reserved.clear();
        }
        reserve(address, room, &format!("a message of {room} bytes"))?;
        self.reserved.insert(address, room);
        Ok(())
    }
}
