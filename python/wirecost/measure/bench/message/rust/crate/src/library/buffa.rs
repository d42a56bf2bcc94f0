// SPDX-License-Identifier: Apache-2.0
//! buffa: its messages, new or used again, and its views.
use buffa::view::{MapView, MessageFieldView, MessageView, RepeatedView};
use buffa::{EnumValue, Enumeration, Message, MessageField, ProtoBox};

use crate::harness::{Codec, Contender, Done, Runner};
use crate::schema::Top;
use crate::values::{Fill, Read, Sum};

include!(concat!(env!("OUT_DIR"), "/buffa.rs"));

use crate::schema::{Buffa, BuffaView};

pub fn contenders() -> Vec<Box<dyn Contender>> {
    vec![
        Runner::<New>::boxed("new"),
        Runner::<Reused>::boxed("reused"),
        Runner::<View>::boxed("view"),
    ]
}

#[derive(Default)]
struct New {
    made: Option<Buffa>,
    parsed: Option<Buffa>,
    sent: Vec<u8>,
}

impl Codec for New {
    fn fill(&mut self, value: &Top) {
        self.made = Some(Buffa::made(value));
    }

    fn encode(&mut self) -> Done {
        self.sent.clear();
        self.made.as_ref().ok_or("it has no message")?.encode(&mut self.sent);
        Ok(())
    }

    fn decode(&mut self) -> Done {
        self.parsed = Some(Buffa::decode_from_slice(&self.sent)?);
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
struct Reused {
    made: Buffa,
    parsed: Buffa,
    sent: Vec<u8>,
}

impl Codec for Reused {
    fn fill(&mut self, value: &Top) {
        self.made.fill(value);
    }

    fn encode(&mut self) -> Done {
        self.sent.clear();
        self.made.encode(&mut self.sent);
        Ok(())
    }

    fn decode(&mut self) -> Done {
        self.parsed.clear();
        Ok(self.parsed.merge_from_slice(&self.sent)?)
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

#[derive(Default)]
struct View {
    made: New,
    parsed: Option<BuffaView<'static>>,
}

impl Codec for View {
    fn fill(&mut self, value: &Top) {
        self.parsed = None;
        self.made.fill(value);
    }

    fn encode(&mut self) -> Done {
        self.made.encode()
    }

    fn decode(&mut self) -> Done {
        let bytes: *const [u8] = self.made.sent.as_slice();
        // SAFETY: `fill` drops the view before these bytes change, which are here as long as it is.
        self.parsed = Some(BuffaView::decode_view(unsafe { &*bytes })?);
        Ok(())
    }

    fn read(&self, sum: &mut Sum) -> Done {
        self.parsed.read(sum);
        Ok(())
    }

    fn destroy(&mut self) {
        self.parsed = None;
        self.made.destroy();
    }

    fn sent(&self) -> &[u8] {
        self.made.sent()
    }

    fn again(&self) -> Done<Vec<u8>> {
        let view = self.parsed.as_ref().ok_or("it has no message")?;
        Ok(view.to_owned_message()?.encode_to_vec())
    }
}

impl<E: Enumeration> Read for EnumValue<E> {
    fn read(&self, sum: &mut Sum) {
        self.to_i32().read(sum);
    }
}

impl<E: Enumeration> Fill<i32> for EnumValue<E> {
    fn made(from: &i32) -> Self {
        Self::from(*from)
    }
}

impl<T: Default + Read, P: ProtoBox<T>> Read for MessageField<T, P> {
    fn read(&self, sum: &mut Sum) {
        if let Some(message) = self.as_option() {
            message.read(sum);
        }
    }
}

impl<From, T: Default + Fill<From>, P: ProtoBox<T>> Fill<Option<From>> for MessageField<T, P> {
    fn made(from: &Option<From>) -> Self {
        from.as_ref().map_or_else(Self::default, |from| Self::some(T::made(from)))
    }

    fn fill(&mut self, from: &Option<From>) {
        match from {
            Some(from) => self.get_or_insert_default().fill(from),
            None => *self = Self::default(),
        }
    }
}

impl Read for &str {
    fn read(&self, sum: &mut Sum) {
        sum.text(self.as_bytes());
    }
}

impl Read for &[u8] {
    fn read(&self, sum: &mut Sum) {
        sum.text(self);
    }
}

impl<T: Read> Read for RepeatedView<'_, T> {
    fn read(&self, sum: &mut Sum) {
        for element in self.iter() {
            element.read(sum);
        }
    }
}

impl<K: Read, V: Read> Read for MapView<'_, K, V> {
    fn read(&self, sum: &mut Sum) {
        for (key, value) in self.iter() {
            key.read(sum);
            value.read(sum);
        }
    }
}

impl<T: Read> Read for MessageFieldView<T> {
    fn read(&self, sum: &mut Sum) {
        if let Some(message) = self.as_option() {
            message.read(sum);
        }
    }
}
