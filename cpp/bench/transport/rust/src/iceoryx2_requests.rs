// SPDX-License-Identifier: Apache-2.0
//! Requests over iceoryx2: one event service wakes who answers, another who has asked.

use std::time::Duration;

use iceoryx2::port::client::Client;
use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::server::Server;
use iceoryx2::prelude::*;

use crate::iceoryx2_blocks::{bytes_of, Block, Writer};
use crate::iceoryx2_ends::{begun, reserved, unopened};
use crate::iceoryx2_services::{open_service, open_wake, wait_until};
use crate::middleware::{OnRequest, Replier, Requester, Settings};
use crate::outcome::{one_line, Outcome};

pub fn requester(settings: &Settings) -> Outcome<Box<dyn Requester>> {
    let home = begun(settings)?;
    let node = home.node()?;
    let service = open_service(&node, &settings.topic)?;
    let (asked, answered) = wakes(&node, &settings.topic)?;
    let listener =
        answered.listener_builder().create().map_err(|error| unopened(settings, error))?;
    let notifier = asked.notifier_builder().create().map_err(|error| unopened(settings, error))?;
    let client = service
        .client_builder()
        .allocation_strategy(AllocationStrategy::PowerOfTwo)
        .create()
        .map_err(|error| unopened(settings, error))?;
    reserved(&home, settings)?;
    Ok(Box::new(Iceoryx2Requester {
        client,
        notifier,
        listener,
        writer: Writer::default(),
        _node: node,
    }))
}

pub fn replier(settings: &Settings) -> Outcome<Box<dyn Replier>> {
    let home = begun(settings)?;
    let node = home.node()?;
    let service = open_service(&node, &settings.topic)?;
    let (asked, answered) = wakes(&node, &settings.topic)?;
    let listener = asked.listener_builder().create().map_err(|error| unopened(settings, error))?;
    let notifier =
        answered.notifier_builder().create().map_err(|error| unopened(settings, error))?;
    let server = service
        .server_builder()
        .allocation_strategy(AllocationStrategy::PowerOfTwo)
        .create()
        .map_err(|error| unopened(settings, error))?;
    reserved(&home, settings)?;
    Ok(Box::new(Iceoryx2Replier {
        server,
        notifier,
        listener,
        writer: Writer::default(),
        _node: node,
    }))
}

type Wake = crate::iceoryx2_services::Wake;

/// Returns the services that wake who answers, and who has asked.
fn wakes(node: &Node<ipc::Service>, service: &str) -> Outcome<(Wake, Wake)> {
    let asked = open_wake(node, &format!("{service}/asked"))?;
    let answered = open_wake(node, &format!("{service}/answered"))?;
    Ok((asked, answered))
}

struct Iceoryx2Requester {
    client: Client<ipc::Service, [Block], (), [Block], ()>,
    notifier: Notifier<ipc::Service>,
    listener: Listener<ipc::Service>,
    writer: Writer,
    _node: Node<ipc::Service>,
}

impl Requester for Iceoryx2Requester {
    fn ask(
        &mut self,
        request: &[u8],
        time: Duration,
        on_reply: &mut dyn FnMut(&[u8]),
    ) -> Outcome<bool> {
        let blocks = self.writer.prepare(request)?;
        let mut loan = self
            .client
            .loan_slice_uninit(blocks)
            .map_err(|error| format!("no shared memory for a request: {}", one_line(error)))?;
        self.writer.write(request, loan.payload_mut())?;
        // SAFETY: it was just written.
        let pending = unsafe { loan.assume_init() }
            .send()
            .map_err(|error| format!("iceoryx2 cannot ask: {}", one_line(error)))?;
        // A listener that is gone needs no event.
        let _ = self.notifier.notify();
        let mut answered = false;
        wait_until(&self.listener, time, || {
            let reply = pending
                .receive()
                .map_err(|error| format!("iceoryx2 cannot receive: {}", one_line(error)))?;
            if let Some(reply) = reply {
                on_reply(bytes_of(reply.payload()));
                answered = true;
            }
            Ok(answered)
        })?;
        Ok(answered)
    }
}

struct Iceoryx2Replier {
    server: Server<ipc::Service, [Block], (), [Block], ()>,
    notifier: Notifier<ipc::Service>,
    listener: Listener<ipc::Service>,
    writer: Writer,
    _node: Node<ipc::Service>,
}

impl Replier for Iceoryx2Replier {
    fn answer(&mut self, time: Duration, on_request: &mut OnRequest<'_>) -> Outcome<()> {
        let Self { server, notifier, listener, writer, .. } = self;
        wait_until(listener, time, || {
            let active = server
                .receive()
                .map_err(|error| format!("iceoryx2 cannot receive: {}", one_line(error)))?;
            let Some(active) = active else { return Ok(false) };
            let request = active.payload();
            on_request(bytes_of(request), &mut || {
                writer.make_room(request.len())?;
                let mut loan = active.loan_slice_uninit(request.len()).map_err(|error| {
                    format!("no shared memory for a reply: {}", one_line(error))
                })?;
                writer.copy(request, loan.payload_mut())?;
                // SAFETY: it was just written.
                let sent = unsafe { loan.assume_init() }.send();
                sent.map_err(|error| format!("iceoryx2 cannot answer: {}", one_line(error)))?;
                let _ = notifier.notify();
                Ok(())
            });
            Ok(true)
        })
    }
}
