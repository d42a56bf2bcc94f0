// SPDX-License-Identifier: Apache-2.0
//! prost: messages of its own are filled from others of them.
use prost::Message;

use crate::harness::{Codec, Contender, Done, Runner};
use crate::schema::Top;
use crate::values::{Fill, Read, Sum};

pub fn contenders() -> Vec<Box<dyn Contender>> {
    vec![Runner::<New>::boxed("new"), Runner::<Reused>::boxed("reused")]
}

#[derive(Default)]
struct New {
    made: Option<Top>,
    parsed: Option<Top>,
    sent: Vec<u8>,
}

impl Codec for New {
    fn fill(&mut self, value: &Top) {
        self.made = Some(Top::made(value));
    }

    fn encode(&mut self) -> Done {
        self.sent.clear();
        Ok(self.made.as_ref().ok_or("it has no message")?.encode(&mut self.sent)?)
    }

    fn decode(&mut self) -> Done {
        self.parsed = Some(Top::decode(self.sent.as_slice())?);
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

/// `clear` keeps what a message itself has allocated, and frees what its elements have.
#[derive(Default)]
struct Reused {
    made: Top,
    parsed: Top,
    sent: Vec<u8>,
}

impl Codec for Reused {
    fn fill(&mut self, value: &Top) {
        self.made.fill(value);
    }

    fn encode(&mut self) -> Done {
        self.sent.clear();
        Ok(self.made.encode(&mut self.sent)?)
    }

    fn decode(&mut self) -> Done {
        self.parsed.clear();
        Ok(self.parsed.merge(self.sent.as_slice())?)
    }

    fn read(&self, sum: &mut Sum) -> Done {
        self.parsed.read(sum);
        Ok(())
    }

    fn destroy(&mut self) {}

    fn sent(&self) -> &[u8] {
        &self.sent
    }

    fn again(&self) -> Done<Vec<u8>> {
        Ok(self.parsed.encode_to_vec())
    }
}
