// SPDX-License-Identifier: Apache-2.0
//! What programs do with values: read them, alter them, and fill in those of another library.
use std::collections::HashMap;

/// What reading a message touches: every number and every byte. Sums do not depend on the order,
/// which maps do not keep.
#[derive(Default)]
pub struct Sum(pub u64);

impl Sum {
    pub fn number(&mut self, bits: u64) {
        self.0 = self.0.wrapping_add(bits);
    }

    pub fn text(&mut self, bytes: &[u8]) {
        let mut sum = bytes.len() as u64;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            sum = sum.wrapping_add(u64::from_ne_bytes(*word));
        }
        for byte in rest {
            sum = sum.wrapping_add(u64::from(*byte));
        }
        self.number(sum);
    }
}

/// Is read.
pub trait Read {
    fn read(&self, sum: &mut Sum);
}

/// Changes what a message holds and not how many bytes that takes on any wire: no two passes send
/// the same, so that nothing kept of an earlier one is right. Long messages are changed at their
/// beginning.
pub struct Alteration<'a> {
    random: &'a mut Random,
    left: u32,
}

impl<'a> Alteration<'a> {
    pub fn new(random: &'a mut Random) -> Self {
        Self { random, left: 64 }
    }

    fn is_done(&self) -> bool {
        self.left == 0
    }

    fn take(&mut self, below: usize) -> usize {
        self.left -= 1;
        self.random.below(below)
    }
}

/// Is altered. Enums and maps stay what they are: nothing is generated that alters them.
pub trait Alter {
    fn alter(&mut self, alteration: &mut Alteration);
}

/// Takes over what a value of another library holds, and what memory it has is used again.
pub trait Fill<From>: Sized {
    fn made(from: &From) -> Self;

    fn fill(&mut self, from: &From) {
        *self = Self::made(from);
    }
}

/// Numbers that nobody can foresee (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

macro_rules! copied {
    ($($type:ty)*) => { $(
        impl Fill<$type> for $type {
            fn made(from: &$type) -> Self {
                *from
            }
        }
    )* };
}
copied!(bool i32 u32 i64 u64 f32 f64);

macro_rules! whole {
    ($($type:ty)*) => { $(
        impl Read for $type {
            fn read(&self, sum: &mut Sum) {
                sum.number(*self as i64 as u64);
            }
        }

        impl Alter for $type {
            fn alter(&mut self, alteration: &mut Alteration) {
                if *self >= 64 && !alteration.is_done() {
                    *self = *self / 64 * 64 + alteration.take(64) as $type; // as long a varint
                }
            }
        }
    )* };
}
whole!(i32 u32 i64 u64);

macro_rules! real {
    ($($type:ty, $bits:ty;)*) => { $(
        impl Read for $type {
            fn read(&self, sum: &mut Sum) {
                sum.number(self.to_bits().into());
            }
        }

        impl Alter for $type {
            fn alter(&mut self, alteration: &mut Alteration) {
                if self.is_normal() && !alteration.is_done() {
                    *self = <$type>::from_bits(self.to_bits() ^ alteration.take(16) as $bits);
                }
            }
        }
    )* };
}
real!(f32, u32; f64, u64;);

impl Read for bool {
    fn read(&self, sum: &mut Sum) {
        sum.number((*self).into());
    }
}

impl Alter for bool {
    fn alter(&mut self, _: &mut Alteration) {}
}

impl Read for String {
    fn read(&self, sum: &mut Sum) {
        sum.text(self.as_bytes());
    }
}

impl Alter for String {
    fn alter(&mut self, alteration: &mut Alteration) {
        if self.is_empty() || alteration.is_done() {
            return;
        }
        let at = alteration.take(self.len());
        if self.is_char_boundary(at) && matches!(self.as_bytes()[at], b' '..=b'~') {
            let letter = char::from(b'a' + alteration.random.below(26) as u8);
            self.replace_range(at..=at, letter.encode_utf8(&mut [0]));
        }
    }
}

impl Fill<String> for String {
    fn made(from: &String) -> Self {
        from.clone()
    }

    fn fill(&mut self, from: &String) {
        self.clone_from(from);
    }
}

impl Read for Vec<u8> {
    fn read(&self, sum: &mut Sum) {
        sum.text(self);
    }
}

impl Alter for Vec<u8> {
    fn alter(&mut self, alteration: &mut Alteration) {
        if !self.is_empty() && !alteration.is_done() {
            let at = alteration.take(self.len());
            self[at] = alteration.random.below(256) as u8;
        }
    }
}

impl Fill<Vec<u8>> for Vec<u8> {
    fn made(from: &Vec<u8>) -> Self {
        from.clone()
    }

    fn fill(&mut self, from: &Vec<u8>) {
        self.clone_from(from);
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(&self, sum: &mut Sum) {
        for element in self {
            element.read(sum);
        }
    }
}

impl<T: Alter> Alter for Vec<T> {
    fn alter(&mut self, alteration: &mut Alteration) {
        for element in self {
            if alteration.is_done() {
                return;
            }
            element.alter(alteration);
        }
    }
}

impl<From, T: Fill<From>> Fill<Vec<From>> for Vec<T> {
    fn made(from: &Vec<From>) -> Self {
        from.iter().map(T::made).collect()
    }

    fn fill(&mut self, from: &Vec<From>) {
        self.truncate(from.len());
        let (first, rest) = from.split_at(self.len());
        for (element, from) in self.iter_mut().zip(first) {
            element.fill(from);
        }
        self.extend(rest.iter().map(T::made));
    }
}

impl<T: Read> Read for Option<T> {
    fn read(&self, sum: &mut Sum) {
        if let Some(value) = self {
            value.read(sum);
        }
    }
}

impl<T: Alter> Alter for Option<T> {
    fn alter(&mut self, alteration: &mut Alteration) {
        if let Some(value) = self {
            value.alter(alteration);
        }
    }
}

impl<From, T: Fill<From>> Fill<Option<From>> for Option<T> {
    fn made(from: &Option<From>) -> Self {
        from.as_ref().map(T::made)
    }

    fn fill(&mut self, from: &Option<From>) {
        match (&mut *self, from) {
            (Some(value), Some(from)) => value.fill(from),
            _ => *self = Self::made(from),
        }
    }
}

impl<T: Read> Read for Box<T> {
    fn read(&self, sum: &mut Sum) {
        (**self).read(sum);
    }
}

impl<T: Alter> Alter for Box<T> {
    fn alter(&mut self, alteration: &mut Alteration) {
        (**self).alter(alteration);
    }
}

impl<From, T: Fill<From>> Fill<From> for Box<T> {
    fn made(from: &From) -> Self {
        Box::new(T::made(from))
    }

    fn fill(&mut self, from: &From) {
        (**self).fill(from);
    }
}

impl<K: Read, V: Read, S> Read for HashMap<K, V, S> {
    fn read(&self, sum: &mut Sum) {
        for (key, value) in self {
            key.read(sum);
            value.read(sum);
        }
    }
}

impl<FromK, FromV, K, V, S> Fill<HashMap<FromK, FromV>> for HashMap<K, V, S>
where
    K: Fill<FromK> + Eq + std::hash::Hash,
    V: Fill<FromV>,
    S: std::hash::BuildHasher + Default,
{
    fn made(from: &HashMap<FromK, FromV>) -> Self {
        from.iter().map(|(key, value)| (K::made(key), V::made(value))).collect()
    }

    fn fill(&mut self, from: &HashMap<FromK, FromV>) {
        self.clear();
        self.extend(from.iter().map(|(key, value)| (K::made(key), V::made(value))));
    }
}
