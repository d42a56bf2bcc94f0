// SPDX-License-Identifier: Apache-2.0
//! Zenoh as its makers set it up, or with messages laid out in its shared memory.

use std::fmt::Display;
use std::time::Duration;

use zenoh::handlers::{FifoChannel, FifoChannelHandler, RingChannel, RingChannelHandler};
use zenoh::pubsub;
use zenoh::qos::CongestionControl;
use zenoh::sample::Sample;
use zenoh::Wait;

use crate::middleware::{Publisher, Settings, Subscriber};
use crate::outcome::{one_line, Outcome};
use crate::zenoh_pool::Pool;
use crate::zenoh_session::{open, Opened, SHARED};

pub fn publisher(settings: &Settings) -> Outcome<Box<dyn Publisher>> {
    let pool = (settings.transport == SHARED).then(|| Pool::new(settings.bytes)).transpose()?;
    let opened = open(settings)?;
    let full = if settings.waits { CongestionControl::Block } else { CongestionControl::Drop };
    let port = opened
        .session
        .declare_publisher(settings.topic.clone())
        .congestion_control(full)
        .wait()
        .map_err(|error| unopened(settings, error))?;
    Ok(Box::new(ZenohPublisher { port, pool, _opened: opened }))
}

pub fn subscriber(settings: &Settings) -> Outcome<Box<dyn Subscriber>> {
    let opened = open(settings)?;
    let declared = opened.session.declare_subscriber(settings.topic.clone());
    let failed = |error: zenoh::Error| unopened(settings, error);
    let depth = settings.depth.max(1);
    // Who delivers to the first waits for room; in the second, the oldest makes room.
    Ok(if settings.waits && !settings.overwrites {
        let port = declared.with(FifoChannel::new(depth)).wait().map_err(failed)?;
        Box::new(ZenohSubscriber { port, _opened: opened })
    } else {
        let port = declared.with(RingChannel::new(depth)).wait().map_err(failed)?;
        Box::new(ZenohSubscriber { port, _opened: opened })
    })
}

pub fn unopened(settings: &Settings, error: impl Display) -> String {
    let Settings { transport, topic, .. } = settings;
    format!("{transport}: '{topic}' cannot be opened: {}; use another topic", one_line(error))
}

struct ZenohPublisher {
    port: pubsub::Publisher<'static>,
    pool: Option<Pool>,
    _opened: Opened,
}

impl Publisher for ZenohPublisher {
    fn publish(&mut self, message: &[u8]) -> Outcome<bool> {
        let room = self.pool.as_ref().and_then(|pool| pool.room(message.len()));
        let sent = match room {
            Some(mut room) => {
                room.copy_from_slice(message);
                self.port.put(room).wait()
            }
            // Subscribers hold all of the pool: without shared memory it goes on.
            None => self.port.put(message).wait(),
        };
        sent.map_err(|error| format!("zenoh cannot send: {}", one_line(error)))?;
        Ok(true)
    }
}

/// Where zenoh's thread puts messages.
trait Inbox {
    fn take(&self, time: Duration) -> Option<Sample>;
}

impl Inbox for FifoChannelHandler<Sample> {
    fn take(&self, time: Duration) -> Option<Sample> {
        self.recv_timeout(time).ok().flatten()
    }
}

impl Inbox for RingChannelHandler<Sample> {
    fn take(&self, time: Duration) -> Option<Sample> {
        self.recv_timeout(time).ok().flatten()
    }
}

struct ZenohSubscriber<T> {
    port: pubsub::Subscriber<T>,
    _opened: Opened,
}

impl<T: Inbox> Subscriber for ZenohSubscriber<T> {
    fn receive(&mut self, time: Duration, on_message: &mut dyn FnMut(&[u8])) -> Outcome<()> {
        if let Some(sample) = self.port.handler().take(time) {
            // Copied only where it came in fragments.
            on_message(&sample.payload().to_bytes());
        }
        Ok(())
    }
}
