// SPDX-License-Identifier: Apache-2.0
//! Verification and measurement of a library's modes.
use std::error::Error;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufWriter, Write};

use prost::Message;

use crate::schema::Top;
use crate::stopwatch::Stopwatch;
use crate::values::{Alter, Alteration, Random, Read, Sum};

pub type Done<T = ()> = Result<T, Box<dyn Error>>;

const STAGES: [&str; 5] = ["fill", "encode", "decode", "read", "destroy"];
const ENCODE: usize = 1;
/// Fewer or smaller messages are repeated: a pass through them would measure the clock.
const LEAST_MESSAGES: usize = 64;
const ENOUGH_BYTES: usize = 64 << 10;
/// A sample of fewer nanoseconds would measure the clock.
const LEAST_SAMPLE_NS: f64 = 100_000.0;
/// Bytes of a message that is printed.
const LONGEST_SENT: usize = 1 << 20;

/// The stages of one message in one mode, and what it sends.
pub trait Codec: Default {
    fn fill(&mut self, value: &Top);
    fn encode(&mut self) -> Done;
    fn decode(&mut self) -> Done;
    fn read(&self, sum: &mut Sum) -> Done;
    fn destroy(&mut self);
    fn sent(&self) -> &[u8];
    /// What was decoded, on Protobuf's wire.
    fn again(&self) -> Done<Vec<u8>>;
}

/// Messages as they are sent, in the form from which everyone fills in theirs, and what reading
/// each adds up to.
struct Content {
    values: Vec<Top>,
    sums: Vec<u64>,
}

impl Content {
    fn read(path: &str) -> Done<Self> {
        let bytes = std::fs::read(path)?;
        let mut content = Self { values: Vec::new(), sums: Vec::new() };
        let mut rest = bytes.as_slice();
        while let Some((length, after)) = rest.split_first_chunk() {
            let size = usize::try_from(u64::from_le_bytes(*length))?;
            let (message, after) = after.split_at_checked(size).ok_or("its content is cut")?;
            content.push(Top::decode(message)?);
            rest = after;
        }
        if !rest.is_empty() || content.values.is_empty() {
            return Err("its content is cut".into());
        }
        Ok(content)
    }

    fn push(&mut self, value: Top) {
        self.sums.push(sum_of(&value));
        self.values.push(value);
    }

    fn repeat(&mut self) {
        let count = self.values.len();
        let mut bytes: usize = self.values.iter().map(Message::encoded_len).sum();
        let once = bytes / count;
        for i in 0.. {
            if self.values.len() >= LEAST_MESSAGES || bytes >= ENOUGH_BYTES {
                return;
            }
            self.push(self.values[i % count].clone());
            bytes += once;
        }
    }

    fn alter(&mut self, random: &mut Random) {
        for (value, sum) in self.values.iter_mut().zip(&mut self.sums) {
            value.alter(&mut Alteration::new(random));
            *sum = sum_of(value);
        }
    }

    /// Returns an error unless this is what reading the first messages adds up to.
    fn check(&self, sum: Sum, count: usize) -> Done {
        let expected = self.sums[..count].iter().fold(0, |all: u64, one| all.wrapping_add(*one));
        if sum.0 == expected {
            Ok(())
        } else {
            Err("it did not read what was sent".into())
        }
    }
}

fn sum_of(value: &Top) -> u64 {
    let mut sum = Sum::default();
    value.read(&mut sum);
    sum.0
}

/// A mode with the messages that it carries.
pub trait Contender {
    fn mode(&self) -> &'static str;
    /// One stage of all messages; stages come in their order.
    fn run(&mut self, stage: usize, values: &[Top], sum: &mut Sum) -> Done;
    /// The whole path of each message, one after the other.
    fn run_total(&mut self, values: &[Top], sum: &mut Sum) -> Done;
    fn sent(&self, i: usize) -> &[u8];
    /// The last message of `run_total`.
    fn last(&self) -> &[u8];
    fn again(&self, i: usize) -> Done<Vec<u8>>;
}

/// A contender of a codec.
pub struct Runner<C> {
    mode: &'static str,
    all: Vec<C>,
    one: C,
}

impl<C: Codec + 'static> Runner<C> {
    pub fn boxed(mode: &'static str) -> Box<dyn Contender> {
        Box::new(Self { mode, all: Vec::new(), one: C::default() })
    }
}

impl<C: Codec> Contender for Runner<C> {
    fn mode(&self) -> &'static str {
        self.mode
    }

    fn run(&mut self, stage: usize, values: &[Top], sum: &mut Sum) -> Done {
        self.all.resize_with(values.len(), C::default);
        for (codec, value) in self.all.iter_mut().zip(values) {
            match stage {
                0 => codec.fill(value),
                1 => codec.encode()?,
                2 => codec.decode()?,
                3 => codec.read(sum)?,
                _ => codec.destroy(),
            }
        }
        Ok(())
    }

    fn run_total(&mut self, values: &[Top], sum: &mut Sum) -> Done {
        for value in values {
            self.one.fill(value);
            self.one.encode()?;
            self.one.decode()?;
            self.one.read(sum)?;
            self.one.destroy();
        }
        Ok(())
    }

    fn sent(&self, i: usize) -> &[u8] {
        self.all[i].sent()
    }

    fn last(&self) -> &[u8] {
        self.one.sent()
    }

    fn again(&self, i: usize) -> Done<Vec<u8>> {
        self.all[i].again()
    }
}

pub fn run(words: &[&str]) -> Done {
    match words {
        ["verify", folder, path] => {
            let content = Content::read(path)?;
            for mut contender in crate::library::contenders() {
                verify(contender.as_mut(), &content, folder)?;
            }
            Ok(())
        }
        ["measure", repetitions, mode, path] => {
            let mut content = Content::read(path)?;
            content.repeat();
            let random = Random(RandomState::new().build_hasher().finish());
            let contender = chosen(mode)?;
            let out = BufWriter::new(std::io::stdout());
            Measurement { content, contender, random, out }.run(repetitions.parse()?)
        }
        ["count", mode, path] => count(chosen(mode)?.as_mut(), &Content::read(path)?),
        _ => Err("its command is not known".into()),
    }
}

fn chosen(mode: &str) -> Done<Box<dyn Contender>> {
    let found = crate::library::contenders().into_iter().find(|one| one.mode() == mode);
    found.ok_or_else(|| "its mode is not known".into())
}

/// Writes MODE.sent and MODE.back, which tell what differs.
fn verify(contender: &mut dyn Contender, content: &Content, folder: &str) -> Done {
    let mut sum = Sum::default();
    for stage in 0..STAGES.len() - 1 {
        contender.run(stage, &content.values, &mut sum)?;
    }
    let path = format!("{folder}/{}", contender.mode());
    let mut sent = BufWriter::new(File::create(format!("{path}.sent"))?);
    let mut back = BufWriter::new(File::create(format!("{path}.back"))?);
    for i in 0..content.values.len() {
        put(&mut sent, contender.sent(i))?;
        put(&mut back, &contender.again(i)?)?;
    }
    sent.flush()?;
    back.flush()?;
    contender.run(STAGES.len() - 1, &content.values, &mut sum)
}

fn put(file: &mut impl Write, message: &[u8]) -> std::io::Result<()> {
    file.write_all(&(message.len() as u64).to_le_bytes())?;
    file.write_all(message)
}

/// Messages differ in every pass, and how many there are is not foreseen, so that nobody knows
/// which are looked at.
struct Measurement<W: Write> {
    content: Content,
    contender: Box<dyn Contender>,
    random: Random,
    out: W,
}

impl<W: Write> Measurement<W> {
    fn run(&mut self, repetitions: usize) -> Done {
        let mut ns = 1.0;
        for _ in 0..4 {
            let stopwatch = Stopwatch::start();
            self.contender.run_total(&self.content.values, &mut Sum::default())?;
            ns = stopwatch.nanoseconds().max(1.0);
        }
        let passes = (LEAST_SAMPLE_NS / ns) as usize + 1;
        let looked_at = self.random.below(repetitions.max(1));
        for repetition in 0..repetitions {
            self.total(repetition, passes, repetition == looked_at)?;
            self.stages(repetition, passes, repetition == looked_at)?;
            self.out.flush()?;
        }
        Ok(())
    }

    fn total(&mut self, repetition: usize, passes: usize, is_looked_at: bool) -> Done {
        let messages = self.content.values.len();
        // The stages have left their own data in the caches.
        self.contender.run_total(&self.content.values, &mut Sum::default())?;
        let (mut ns, mut carried, mut count) = (0.0, 0, 0);
        for _ in 0..passes {
            self.content.alter(&mut self.random);
            count = messages - self.random.below(messages / 2 + 1);
            carried += count;
            let mut sum = Sum::default();
            let stopwatch = Stopwatch::start();
            self.contender.run_total(&self.content.values[..count], &mut sum)?;
            ns += stopwatch.nanoseconds();
            self.content.check(sum, count)?;
        }
        if is_looked_at {
            let sent = self.contender.last().to_vec();
            self.print_sent(repetition, &sent, count - 1)?;
        }
        self.print(repetition, "total", ns / carried as f64)
    }

    fn stages(&mut self, repetition: usize, passes: usize, is_looked_at: bool) -> Done {
        let messages = self.content.values.len();
        let mut ns = [0.0; STAGES.len()];
        for pass in 0..=passes {
            self.content.alter(&mut self.random);
            let mut sum = Sum::default();
            for (stage, taken) in ns.iter_mut().enumerate() {
                let stopwatch = Stopwatch::start();
                self.contender.run(stage, &self.content.values, &mut sum)?;
                if pass != 0 {
                    *taken += stopwatch.nanoseconds(); // the first one warms
                } else if stage == ENCODE && is_looked_at {
                    let i = self.random.below(messages);
                    let sent = self.contender.sent(i).to_vec();
                    print_sent(&mut self.out, repetition, &sent, &self.content.values[i])?;
                }
            }
            self.content.check(sum, messages)?;
        }
        for (stage, ns) in STAGES.iter().zip(ns) {
            self.print(repetition, stage, ns / (passes * messages) as f64)?;
        }
        Ok(())
    }

    fn print_sent(&mut self, repetition: usize, sent: &[u8], i: usize) -> Done {
        print_sent(&mut self.out, repetition, sent, &self.content.values[i])
    }

    fn print(&mut self, repetition: usize, stage: &str, ns: f64) -> Done {
        Ok(writeln!(self.out, "0\t{repetition}\t{stage}\t{ns:.3}")?)
    }
}

/// For an independent reader, once in each process; long messages would take long to be read.
fn print_sent(out: &mut impl Write, repetition: usize, sent: &[u8], value: &Top) -> Done {
    if sent.len() <= LONGEST_SENT {
        let expected = value.encode_to_vec();
        writeln!(out, "0\t{repetition}\tsent\t{}\t{}", hex(sent), hex(&expected))?;
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// callgrind counts the instructions of this function alone, by its name.
#[no_mangle]
#[inline(never)]
fn wirecost_counted(contender: &mut dyn Contender, values: &[Top]) -> Done {
    contender.run_total(values, &mut Sum::default())
}

extern "C" {
    fn dlsym(handle: *mut u8, name: *const std::ffi::c_char) -> *const u8;
}

/// Allocations that the preloaded library has counted; 0 without it.
fn allocations() -> u64 {
    // SAFETY: null is the loader's handle for all libraries; the function has this type there.
    unsafe {
        let counts = dlsym(std::ptr::null_mut(), c"wirecost_allocation_counts".as_ptr());
        let counts: Option<extern "C" fn() -> *const u64> = std::mem::transmute(counts);
        counts.map_or(0, |counts| *counts())
    }
}

fn count(contender: &mut dyn Contender, content: &Content) -> Done {
    for _ in 0..3 {
        contender.run_total(&content.values, &mut Sum::default())?;
    }
    let before = allocations();
    wirecost_counted(contender, &content.values)?;
    let made = allocations() - before;
    println!("{:.3}", made as f64 / content.values.len() as f64);
    Ok(())
}
