// SPDX-License-Identifier: Apache-2.0
//! rkyv, derived for prost's messages: read as new ones, or in place once all bytes are checked.
use prost::Message;
use rkyv::boxed::ArchivedBox;
use rkyv::collections::swiss_table::ArchivedHashMap;
use rkyv::option::ArchivedOption;
use rkyv::rancor::Error;
use rkyv::rend::{f32_le, f64_le, i32_le, i64_le, u32_le, u64_le};
use rkyv::string::ArchivedString;
use rkyv::util::AlignedVec;
use rkyv::vec::ArchivedVec;
use rkyv::Archived;

use crate::harness::{Codec, Contender, Done, Runner};
use crate::schema::Top;
use crate::values::{Fill, Read, Sum};

pub fn contenders() -> Vec<Box<dyn Contender>> {
    vec![Runner::<New>::boxed("new"), Runner::<View>::boxed("view")]
}

#[derive(Default)]
struct New {
    made: Option<Top>,
    parsed: Option<Top>,
    sent: AlignedVec,
}

impl New {
    fn encode(&mut self) -> Done {
        let mut buffer = std::mem::take(&mut self.sent);
        buffer.clear();
        let made = self.made.as_ref().ok_or("it has no message")?;
        self.sent = rkyv::api::high::to_bytes_in::<_, Error>(made, buffer)?;
        Ok(())
    }
}

impl Codec for New {
    fn fill(&mut self, value: &Top) {
        self.made = Some(Top::made(value));
    }

    fn encode(&mut self) -> Done {
        self.encode()
    }

    fn decode(&mut self) -> Done {
        self.parsed = Some(rkyv::from_bytes::<Top, Error>(&self.sent)?);
        Ok(())
    }

    fn read(&self, sum: &mut Sum) -> Done {
        self.parsed.read(sum);
        Ok(())
    }

    fn destroy(&mut self) {
        self.made = None;
        self.parsed = None;
    }

    fn sent(&self) -> &[u8] {
        &self.sent
    }

    fn again(&self) -> Done<Vec<u8>> {
        Ok(self.parsed.as_ref().ok_or("it has no message")?.encode_to_vec())
    }
}

#[derive(Default)]
struct View(New);

impl Codec for View {
    fn fill(&mut self, value: &Top) {
        self.0.fill(value);
    }

    fn encode(&mut self) -> Done {
        self.0.encode()
    }

    fn decode(&mut self) -> Done {
        rkyv::access::<Archived<Top>, Error>(&self.0.sent)?;
        Ok(())
    }

    fn read(&self, sum: &mut Sum) -> Done {
        // SAFETY: `decode` has checked these bytes.
        unsafe { rkyv::access_unchecked::<Archived<Top>>(&self.0.sent) }.read(sum);
        Ok(())
    }

    fn destroy(&mut self) {
        self.0.destroy();
    }

    fn sent(&self) -> &[u8] {
        self.0.sent()
    }

    fn again(&self) -> Done<Vec<u8>> {
        Ok(rkyv::from_bytes::<Top, Error>(&self.0.sent)?.encode_to_vec())
    }
}

macro_rules! number {
    ($($type:ty)*) => { $(
        impl Read for $type {
            fn read(&self, sum: &mut Sum) {
                self.to_native().read(sum);
            }
        }
    )* };
}
number!(f32_le f64_le i32_le i64_le u32_le u64_le);

impl Read for ArchivedString {
    fn read(&self, sum: &mut Sum) {
        sum.text(self.as_bytes());
    }
}

impl Read for ArchivedVec<u8> {
    fn read(&self, sum: &mut Sum) {
        sum.text(self);
    }
}

impl<T: Read> Read for ArchivedVec<T> {
    fn read(&self, sum: &mut Sum) {
        for element in self.iter() {
            element.read(sum);
        }
    }
}

impl<T: Read> Read for ArchivedOption<T> {
    fn read(&self, sum: &mut Sum) {
        if let ArchivedOption::Some(value) = self {
            value.read(sum);
        }
    }
}

impl<T: Read> Read for ArchivedBox<T> {
    fn read(&self, sum: &mut Sum) {
        self.get().read(sum);
    }
}

impl<K: Read, V: Read> Read for ArchivedHashMap<K, V> {
    fn read(&self, sum: &mut Sum) {
        for (key, value) in self.iter() {
            key.read(sum);
            value.read(sum);
        }
    }
}
