// SPDX-License-Identifier: Apache-2.0
//! A session of Zenoh as the Python client opens it: a peer among those of this user on Unix
//! sockets, or a client of the router at an address. Nothing is scouted.

use std::fmt::Display;
use std::path::Path;

use zenoh::{Config, Session, Wait};

use crate::lock::Lock;
use crate::middleware::Settings;
use crate::outcome::{one_line, Outcome};
use crate::peers::meet;
use crate::private_folder::{private_folder, MOST_PATH};
use crate::shared_memory::{check_room, END_BYTES};
use crate::zenoh_pool::{allow_locks, remove_own_files};

pub const SHARED: &str = "zenoh-shm";

/// A publisher waits so long for a subscriber whose sockets are full; then it is cut off.
const STUCK_US: u64 = 2_000_000;
const CONNECT_MS: u64 = 3000;
const LONGEST_NAME: usize = "/1234567-12345678.sock.lock".len();

/// Fields are dropped in this order: the socket is let go when nothing uses it any more.
pub struct Opened {
    pub session: Session,
    _place: Option<Lock>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = self.session.close().wait();
        remove_own_files();
    }
}

pub fn open(settings: &Settings) -> Outcome<Opened> {
    allow_locks();
    if settings.transport == SHARED {
        check_room(END_BYTES, SHARED)?;
    }
    if settings.address.is_empty() {
        let folder = private_folder("zenoh", MOST_PATH - LONGEST_NAME)?;
        let (session, place) = meet(&folder, |socket, others| {
            let listen = unix_socket(socket);
            let connect = others.iter().map(unix_socket).collect();
            session(settings, Some(listen), connect)
                .map_err(|why| format!("{}: no session: {why}", settings.transport))
        })?;
        return Ok(Opened { session, _place: Some(place) });
    }
    let session = session(settings, None, vec![settings.address.clone()]).map_err(|why| {
        let Settings { transport, address, .. } = settings;
        format!("{transport}: no session ({why}); start a router at {address}")
    })?;
    Ok(Opened { session, _place: None })
}

fn unix_socket(path: impl AsRef<Path>) -> String {
    format!("unixsock-stream/{}", path.as_ref().display())
}

fn session(settings: &Settings, listen: Option<String>, connect: Vec<String>) -> Outcome<Session> {
    // As nodes of ROS 2 are: they learn of each other from the router, then do without it.
    let direct = listen.is_none() && settings.peer;
    let listen = if direct { Some(beside_router(&settings.address)) } else { listen };
    let mut config = Config::default();
    let mut set = |name: &str, value: String| {
        config.insert_json5(name, &value).map_err(|error| format!("{name}: {}", one_line(error)))
    };
    set("mode", quoted(if listen.is_some() { "peer" } else { "client" }))?;
    set("scouting/multicast/enabled", text(false))?;
    set("scouting/gossip/enabled", text(direct))?;
    set("listen/endpoints", list(listen.as_slice()))?;
    set("connect/endpoints", list(&connect))?;
    let wait = if listen.is_some() && !direct { 0 } else { CONNECT_MS };
    set("connect/timeout_ms", text(wait))?;
    set("connect/exit_on_failure", text(direct || listen.is_none()))?;
    let retry = "{period_init_ms: 20, period_max_ms: 1000, period_increase_factor: 2}";
    set("connect/retry", text(retry))?;
    if settings.waits {
        let stuck = "transport/link/tx/queue/congestion_control/block/wait_before_close";
        set(stuck, text(STUCK_US))?;
    }
    zenoh::open(config).wait().map_err(one_line)
}

/// `tcp/HOST:PORT` → any port of the same host.
fn beside_router(address: &str) -> String {
    let place = address.split_once('/').map_or(address, |(_, place)| place);
    let host = place.rsplit_once(':').map_or(place, |(host, _)| host);
    format!("tcp/{host}:0")
}

fn text(value: impl Display) -> String {
    value.to_string()
}

fn list(values: &[String]) -> String {
    let quoted: Vec<_> = values.iter().map(|value| quoted(value)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A JSON string.
fn quoted(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
