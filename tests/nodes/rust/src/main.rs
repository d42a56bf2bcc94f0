// SPDX-License-Identifier: Apache-2.0
// Nodes of ROS 2 on RustDDS, which shares no code with Fast DDS or Cyclone DDS, on loopback only.
//
//   rust_node talk     /rust/talker publishes /words, 20 a second: "word 0", "word 1", …
//   rust_node answer   /rust/answerer takes /words and publishes each as /answers: "word 0!"
//
// Ends by SIGINT or SIGTERM and prints how many messages it took and published.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ros2_client::qos::{Durability, History, WhenFull};
use ros2_client::{Context, MessageTypeName, Name, Node, NodeName, NodeOptions, QosProfile};
use rustdds::DomainParticipantBuilder;

const EVERY: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_millis(1);

fn qos() -> QosProfile {
    QosProfile::publisher_default()
        .reliability_reliable(WhenFull::DEFAULT)
        .durability(Durability::Volatile)
        .history(History::KeepLast { depth: 10 })
}

fn node(name: &str) -> Node {
    let domain = std::env::var("ROS_DOMAIN_ID").map_or(0, |text| text.parse().expect("a number"));
    let participant = DomainParticipantBuilder::new(domain)
        .with_only_networks([Ipv4Addr::LOCALHOST])
        .build()
        .expect("a participant");
    Context::from_domain_participant(participant)
        .expect("a context")
        .new_node(
            NodeName::new("/rust", name).expect("a name"),
            NodeOptions::new().enable_rosout(false),
        )
        .expect("a node")
}

fn topic(node: &mut Node, name: &str) -> rustdds::Topic {
    let type_name = MessageTypeName::new("std_msgs", "String");
    node.create_topic(&Name::new("/", name).expect("a name"), type_name, &qos())
        .expect("a topic")
}

fn talk(ended: &AtomicBool) -> (u64, u64) {
    let mut node = node("talker");
    let words = topic(&mut node, "words");
    let publisher = node.create_publisher::<String>(&words, None).expect("a publisher");
    println!("ready");
    let mut published = 0;
    let mut next = Instant::now();
    while !ended.load(Ordering::Relaxed) {
        if publisher.publish(format!("word {published}")).is_ok() {
            published += 1;
        }
        next += EVERY;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    (0, published)
}

fn answer(ended: &AtomicBool) -> (u64, u64) {
    let mut node = node("answerer");
    let words = topic(&mut node, "words");
    let answers = topic(&mut node, "answers");
    let subscription = node.create_subscription::<String>(&words, None).expect("a subscription");
    let publisher = node.create_publisher::<String>(&answers, None).expect("a publisher");
    println!("ready");
    let (mut taken, mut published) = (0, 0);
    while !ended.load(Ordering::Relaxed) {
        match subscription.take() {
            Ok(Some((word, _))) => {
                taken += 1;
                if publisher.publish(format!("{word}!")).is_ok() {
                    published += 1;
                }
            }
            _ => std::thread::sleep(PAUSE),
        }
    }
    (taken, published)
}

fn main() {
    let ended = Arc::new(AtomicBool::new(false));
    let by_signal = Arc::clone(&ended);
    ctrlc::set_handler(move || by_signal.store(true, Ordering::Relaxed)).expect("a handler");
    let (taken, published) = match std::env::args().nth(1).as_deref() {
        Some("talk") => talk(&ended),
        Some("answer") => answer(&ended),
        _ => {
            eprintln!("rust_node: talk or answer");
            std::process::exit(2);
        }
    };
    println!("took {taken}, published {published}");
}
