// SPDX-License-Identifier: Apache-2.0
//! Requests over Zenoh, to whoever has declared that it answers them.

use std::time::{Duration, Instant};

use zenoh::handlers::{FifoChannel, RingChannel, RingChannelHandler};
use zenoh::qos::CongestionControl;
use zenoh::query::{Query, Queryable};
use zenoh::Wait;

use crate::middleware::{OnRequest, Replier, Requester, Settings};
use crate::outcome::{one_line, Outcome};
use crate::zenoh_ends::unopened;
use crate::zenoh_session::{open, Opened};

/// Of more, the oldest get no reply.
const WAITING: usize = 64;
/// Zenoh gives a request up later than who asks.
const LONGER: Duration = Duration::from_secs(1);

pub fn requester(settings: &Settings) -> Outcome<Box<dyn Requester>> {
    let opened = open(settings)?;
    Ok(Box::new(ZenohRequester { opened, service: settings.topic.clone() }))
}

pub fn replier(settings: &Settings) -> Outcome<Box<dyn Replier>> {
    let opened = open(settings)?;
    let port = opened
        .session
        .declare_queryable(settings.topic.clone())
        .with(RingChannel::new(WAITING))
        .wait()
        .map_err(|error| unopened(settings, error))?;
    Ok(Box::new(ZenohReplier { port, service: settings.topic.clone(), _opened: opened }))
}

struct ZenohRequester {
    opened: Opened,
    service: String,
}

impl Requester for ZenohRequester {
    fn ask(
        &mut self,
        request: &[u8],
        time: Duration,
        on_reply: &mut dyn FnMut(&[u8]),
    ) -> Outcome<bool> {
        let end = Instant::now() + time;
        let replies = self
            .opened
            .session
            .get(&self.service)
            .with(FifoChannel::new(WAITING))
            .payload(request)
            .timeout(time + LONGER)
            .congestion_control(CongestionControl::Block)
            .wait()
            .map_err(|error| format!("zenoh cannot ask: {}", one_line(error)))?;
        // It ends at once where nobody answers.
        while let Ok(Some(reply)) = replies.recv_deadline(end) {
            if let Ok(sample) = reply.result() {
                on_reply(&sample.payload().to_bytes());
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct ZenohReplier {
    port: Queryable<RingChannelHandler<Query>>,
    service: String,
    _opened: Opened,
}

impl Replier for ZenohReplier {
    fn answer(&mut self, time: Duration, on_request: &mut OnRequest<'_>) -> Outcome<()> {
        let Ok(Some(query)) = self.port.handler().recv_timeout(time) else { return Ok(()) };
        let request = query.payload().map(|payload| payload.to_bytes()).unwrap_or_default();
        on_request(&request, &mut || {
            query
                .reply(&self.service, request.as_ref())
                .wait()
                .map_err(|error| format!("zenoh cannot answer: {}", one_line(error)))
        });
        Ok(())
    }
}
