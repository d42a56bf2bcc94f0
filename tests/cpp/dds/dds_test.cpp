// SPDX-License-Identifier: Apache-2.0
// Raw endpoints of two participants in one process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "wirecost/middleware/dds/acknowledgements.hpp"
#include "wirecost/middleware/dds/mailbox.hpp"
#include "wirecost/middleware/dds/participant.hpp"
#include "wirecost/middleware/dds/reader.hpp"
#include "wirecost/middleware/dds/type.hpp"
#include "wirecost/middleware/dds/writer.hpp"

// Fast DDS 2.9 itself deletes a part of its readers as another type.
extern "C" const char* __asan_default_options();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "new_delete_type_mismatch=0";
}

namespace {

using namespace std::chrono_literals;
using namespace wirecost::middleware;

using Bytes = std::vector<std::byte>;

/// Above those that replays and Python's tests take, and locked: two builds may test at a time.
std::uint32_t own_domain() {
  for (std::uint32_t domain = 102; domain < 200; ++domain) {
    const std::string file = "/tmp/wirecost-dds-test-" + std::to_string(domain) + ".lock";
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0) return domain;
    if (descriptor >= 0) close(descriptor);
  }
  throw std::runtime_error("no domain is free");
}

std::shared_ptr<DdsParticipant> participant(const std::string& name) {
  static const std::uint32_t domain = own_domain();
  const std::string enclave = "enclave=/;";
  return std::make_shared<DdsParticipant>(domain, name,
                                          std::vector<std::uint8_t>(enclave.begin(), enclave.end()),
                                          std::vector<std::string>{"127.0.0.1"});
}

bool soon(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

Bytes numbered(std::size_t size, int number) {
  Bytes bytes(size, static_cast<std::byte>(number));
  constexpr std::byte little_endian[] = {std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
  std::memcpy(bytes.data(), little_endian, sizeof little_endian);
  return bytes;
}

DdsEndpoint endpoint(const std::string& topic, DdsQos qos = {}) {
  qos.depth = qos.depth == 0 ? 10 : qos.depth;
  return {topic, "test_msgs::msg::dds_::Any_", qos, {}};
}

DdsReader::Handler into(Mailbox& mailbox) {
  return [&mailbox](Message message, const SampleName& own, const SampleName& answered) {
    mailbox.put({std::move(message), own, answered});
  };
}

Bytes bytes_of(const Envelope& envelope) {
  return {envelope.message.bytes.get(), envelope.message.bytes.get() + envelope.message.size};
}

TEST(DdsEndpoints, CarryBytesOfAnySizeUntouched) {
  Mailbox mailbox(64U << 20U);
  const auto here = participant("here"), there = participant("there");
  DdsWriter writer(here, endpoint("rt/any"));
  DdsReader reader(there, endpoint("rt/any"), {}, into(mailbox));
  ASSERT_TRUE(soon([&] { return writer.readers() == 1 && reader.writers() == 1; }));
  std::vector<Bytes> sent, received;
  // On the network a message that goes in one piece has a multiple of four bytes.
  for (const std::size_t size : {4UL, 8UL, 256UL, 65'000UL, 65'536UL, 1'000'003UL})
    sent.push_back(numbered(size, static_cast<int>(sent.size() + 1)));
  for (const Bytes& each : sent) writer.send(each);
  EXPECT_TRUE(soon([&] {
    for (const Envelope& envelope : mailbox.take(0ns)) received.push_back(bytes_of(envelope));
    return received.size() == sent.size();
  }));
  EXPECT_EQ(received, sent);
}

TEST(DdsEndpoints, RefuseWhatIsNoSerializedMessage) {
  DdsWriter writer(participant("here"), endpoint("rt/any"));
  EXPECT_THROW(writer.send(Bytes(3)), std::invalid_argument);
}

TEST(DdsParticipant, RefusesADomainWithoutPorts) {
  EXPECT_THROW(DdsParticipant(233, "here", {}, {"127.0.0.1"}), std::runtime_error);
}

TEST(DdsParticipant, IsClosedAfterItsEndpoints) {
  const auto here = participant("here");
  DdsWriter writer(here, endpoint("rt/any"));
  EXPECT_THROW(here->close(), std::logic_error);
  writer.close();
  here->close();
  EXPECT_THROW(DdsWriter(here, endpoint("rt/any")), std::runtime_error);
  EXPECT_THROW(DdsReader(here, endpoint("rt/any"), {}, {}), std::runtime_error);
}

TEST(DdsEndpoints, AreNotFoundByTheirOwnParticipant) {
  const auto here = participant("here"), there = participant("there");
  const DdsWriter own(here, endpoint("rt/own")), other(there, endpoint("rt/other"));
  ASSERT_TRUE(soon([&] { return !here->discovery().endpoints().empty(); }));
  ASSERT_EQ(here->discovery().endpoints().size(), 1U);
  EXPECT_EQ(here->discovery().endpoints()[0].topic, "rt/other");
}

TEST(DdsEndpoints, RefuseASecondTypeOfATopic) {
  const auto here = participant("here");
  const DdsWriter writer(here, endpoint("rt/any"));
  DdsEndpoint other = endpoint("rt/any");
  other.type = "test_msgs::msg::dds_::Other_";
  EXPECT_THROW(DdsWriter(here, other), std::runtime_error);
}

TEST(DdsEndpoints, GiveALateReaderWhatIsKept) {
  Mailbox mailbox(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  DdsQos kept;
  kept.transient_local = true;
  kept.depth = 2;
  DdsWriter writer(here, endpoint("rt/kept", kept));
  for (int number = 1; number <= 3; ++number) writer.send(numbered(8, number));
  const DdsReader reader(there, endpoint("rt/kept", kept), {}, into(mailbox));
  std::vector<Bytes> received;
  EXPECT_TRUE(soon([&] {
    for (const Envelope& envelope : mailbox.take(0ns)) received.push_back(bytes_of(envelope));
    return received.size() == 2;
  }));
  EXPECT_EQ(received, (std::vector{numbered(8, 2), numbered(8, 3)}));
}

TEST(DdsEndpoints, HearOnlyWritersOfTheirClassWhereAskedTo) {
  Mailbox exact(1U << 20U), all(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  DdsQos lossy;
  lossy.reliable = false;
  DdsWriter reliable_writer(here, endpoint("rt/any")),
      lossy_writer(here, endpoint("rt/any", lossy));
  DdsReader only_lossy(there, endpoint("rt/any", lossy), {.same_class = true}, into(exact));
  DdsReader any(there, endpoint("rt/any", lossy), {}, into(all));
  ASSERT_TRUE(soon([&] {
    return reliable_writer.readers() == 2 && lossy_writer.readers() == 2 &&
           only_lossy.writers() == 2 && any.writers() == 2;
  }));
  reliable_writer.send(numbered(8, 1));
  lossy_writer.send(numbered(8, 2));
  std::vector<Envelope> by_all, by_exact;
  EXPECT_TRUE(soon([&] {
    for (Envelope& envelope : all.take(0ns)) by_all.push_back(std::move(envelope));
    for (Envelope& envelope : exact.take(0ns)) by_exact.push_back(std::move(envelope));
    return by_all.size() == 2 && !by_exact.empty();
  }));
  ASSERT_EQ(by_exact.size(), 1U);
  EXPECT_EQ(bytes_of(by_exact[0]), numbered(8, 2));
}

TEST(DdsEndpoints, HearOnlyChosenWriters) {
  Mailbox chosen(1U << 20U), others(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  DdsWriter first(here, endpoint("rt/any")), second(here, endpoint("rt/any"));
  DdsReader only(there, endpoint("rt/any"), {.only = {{first.guid()}}}, into(chosen));
  DdsReader without(there, endpoint("rt/any"), {.without = {first.guid()}}, into(others));
  ASSERT_TRUE(soon([&] {
    return first.readers() == 2 && second.readers() == 2 && only.writers() == 2 &&
           without.writers() == 2;
  }));
  const auto send = [&](int number) {
    first.send(numbered(8, number));
    second.send(numbered(8, number + 1));
    return first.flush(10s) && second.flush(10s);
  };
  const auto received = [](Mailbox& mailbox) {
    std::vector<Bytes> bytes;
    for (const Envelope& envelope : mailbox.take(10s)) bytes.push_back(bytes_of(envelope));
    return bytes;
  };
  ASSERT_TRUE(send(1));
  EXPECT_EQ(received(chosen), std::vector<Bytes>{numbered(8, 1)});
  EXPECT_EQ(received(others), std::vector<Bytes>{numbered(8, 2)});
  only.choose({.only = {{second.guid()}}});
  ASSERT_TRUE(send(3));
  EXPECT_EQ(received(chosen), std::vector<Bytes>{numbered(8, 4)});
}

TEST(DdsEndpoints, SayWhichMessageTheyAnswer) {
  Mailbox requests(1U << 20U), replies(1U << 20U);
  const auto client = participant("client"), server = participant("server");
  DdsWriter asking(client, endpoint("rq/xRequest")), answering(server, endpoint("rr/xReply"));
  DdsReader asked(server, endpoint("rq/xRequest"), {}, into(requests));
  DdsReader answered(client, endpoint("rr/xReply"), {}, into(replies));
  ASSERT_TRUE(soon([&] {
    return asking.readers() + answering.readers() == 2 && asked.writers() + answered.writers() == 2;
  }));
  const SampleName request = asking.answer(numbered(8, 1), {answered.guid(), 0});
  const auto envelopes = requests.take(10s);
  ASSERT_EQ(envelopes.size(), 1U);
  EXPECT_EQ(envelopes[0].own.writer, asking.guid());
  EXPECT_EQ(envelopes[0].own.sequence, request.sequence);
  EXPECT_EQ(envelopes[0].answered.writer, answered.guid());
  answering.answer(numbered(8, 2), {envelopes[0].answered.writer, envelopes[0].own.sequence});
  const auto reply = replies.take(10s);
  ASSERT_EQ(reply.size(), 1U);
  EXPECT_EQ(reply[0].answered.writer, answered.guid());
  EXPECT_EQ(reply[0].answered.sequence, request.sequence);
}

TEST(DdsEndpoints, AreFoundWithWhatTheySayOfThemselves) {
  const auto here = participant("here"), there = participant("there");
  DdsEndpoint announced = endpoint("rt/announced");
  announced.qos.deadline_ns = 250'000'000;
  announced.user_data = {'h', 'i'};
  const DdsWriter writer(here, announced);
  ASSERT_TRUE(soon([&] { return there->discovery().endpoints().size() == 1; }));
  const FoundEndpoint found = there->discovery().endpoints()[0];
  EXPECT_EQ(found.topic, announced.topic);
  EXPECT_EQ(found.type, announced.type);
  EXPECT_EQ(found.user_data, announced.user_data);
  EXPECT_EQ(found.qos.deadline_ns, announced.qos.deadline_ns);
  EXPECT_TRUE(found.writer && found.qos.reliable && !found.qos.transient_local);
  EXPECT_EQ(there->discovery().participants()[0].name, "here");
}

TEST(DdsEndpoints, CloseUnderTraffic) {
  Mailbox mailbox(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  DdsWriter writer(here, endpoint("rt/any"));
  DdsReader reader(there, endpoint("rt/any"), {}, into(mailbox));
  ASSERT_TRUE(soon([&] { return writer.readers() == 1; }));
  std::jthread sending([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) writer.send(numbered(2'000, 7));
  });
  ASSERT_TRUE(soon([&] { return !mailbox.take(0ns).empty(); }));
  reader.close();
  mailbox.take(0ns);
  writer.close();
  const std::size_t dropped = writer.dropped();
  EXPECT_TRUE(soon([&] { return writer.dropped() > dropped; }));
  EXPECT_TRUE(mailbox.take(0ns).empty());
  EXPECT_EQ(writer.readers() + reader.writers(), 0U);
}

TEST(Mailbox, DropsWhatIsTooMuch) {
  Mailbox mailbox(3 * (sizeof(Envelope) + 100));
  for (int count = 0; count < 5; ++count) {
    Envelope envelope;
    envelope.message.bytes = std::make_unique<std::byte[]>(100);
    envelope.message.size = 100;
    mailbox.put(std::move(envelope));
  }
  EXPECT_EQ(mailbox.dropped(), 2U);
  EXPECT_EQ(mailbox.take(0ns).size(), 3U);
  EXPECT_TRUE(mailbox.take(0ns).empty());
}

TEST(DdsEndpoints, AreConfirmedOnceTheOtherSideFoundThemToo) {
  Mailbox mailbox(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  DdsWriter writer(here, endpoint("rt/confirmed"));
  DdsReader reader(there, endpoint("rt/confirmed"), {}, into(mailbox));
  ASSERT_TRUE(soon([&] { return writer.readers() == 1 && writer.unconfirmed() == 0; }));
  writer.send(numbered(100, 7));
  EXPECT_EQ(mailbox.take(10s).size(), 1U);
  EXPECT_TRUE(soon([&] { return reader.writers() == 1 && reader.unconfirmed() == 0; }));
  writer.close();
  EXPECT_EQ(writer.unconfirmed(), 0U);
  EXPECT_TRUE(soon([&] { return reader.writers() == 0; }));
}

TEST(DdsEndpoints, AreConfirmedAfterOthersWereRemoved) {
  Mailbox mailbox(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  const DdsQos lossy{.reliable = false};
  DdsReader reader(there, endpoint("rt/one", lossy), {}, into(mailbox));
  for (int i = 0; i < 3; ++i) DdsWriter(here, endpoint("rt/one", lossy)).close();
  DdsWriter writer(here, endpoint("rt/one", lossy));
  ASSERT_TRUE(soon([&] { return writer.readers() == 1 && writer.unconfirmed() == 0; }));
  writer.send(numbered(100, 7));
  EXPECT_EQ(mailbox.take(10s).size(), 1U);
}

TEST(DdsEndpoints, ThatListenLiveGetFromBeforeOnlyWhatIsKeptOnPurpose) {
  Mailbox kept(1U << 20U), live(1U << 20U);
  const auto here = participant("here"), there = participant("there");
  const DdsQos latched{.reliable = true, .transient_local = true, .depth = 10};
  DdsWriter writer(here, endpoint("rt/kept", latched));
  writer.send(numbered(100, 1));
  std::this_thread::sleep_for(2ms);
  DdsReader late(there, endpoint("rt/kept", latched), {}, into(kept), Volatile::live);
  DdsReader present(there, endpoint("rt/kept"), {}, into(live), Volatile::live);
  ASSERT_TRUE(soon([&] { return writer.readers() == 2 && writer.unconfirmed() == 0; }));
  writer.send(numbered(100, 2));
  std::vector<Bytes> received;
  EXPECT_TRUE(soon([&] {
    for (const Envelope& envelope : kept.take(10ms)) received.push_back(bytes_of(envelope));
    return received.size() == 2;
  }));
  EXPECT_EQ(received, (std::vector{numbered(100, 1), numbered(100, 2)}));
  ASSERT_TRUE(writer.flush(10s));
  const auto only_new = live.take(10s);
  ASSERT_EQ(only_new.size(), 1U);
  EXPECT_EQ(bytes_of(only_new[0]), numbered(100, 2));
}

/// A datagram of participant 1…1 whose reader 7 acknowledges to a writer.
std::vector<std::uint8_t> acknack(std::array<std::uint8_t, 4> writer, std::uint8_t number) {
  std::vector<std::uint8_t> bytes{'R', 'T', 'P', 'S', 2, 3, 1, 15};
  bytes.insert(bytes.end(), 12, 1);
  bytes.insert(bytes.end(), {0x0e, 1, 12, 0});
  bytes.insert(bytes.end(), 12, 2);
  bytes.insert(bytes.end(), {0x06, 1, 24, 0, 0, 0, 0, 7});
  bytes.insert(bytes.end(), writer.begin(), writer.end());
  bytes.insert(bytes.end(), {0, 0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0});
  return bytes;
}

TEST(DdsAcknowledgements, AreReadFromDatagrams) {
  const Guid reader{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 7};
  const Guid writer{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 9, 3};
  constexpr std::array<std::uint8_t, 4> sedp_writers{0, 0, 3, 0xc2}, user{0, 0, 9, 3};
  Acknowledgements acknowledgements;
  acknowledgements.announced(true);
  acknowledgements.announced(true);
  EXPECT_FALSE(acknowledgements.has_announcements(reader, true));
  acknowledgements.received(acknack(sedp_writers, 2));
  EXPECT_FALSE(acknowledgements.has_announcements(reader, true));
  acknowledgements.received(acknack(sedp_writers, 3));
  EXPECT_TRUE(acknowledgements.has_announcements(reader, true));
  acknowledgements.announced(true);
  EXPECT_FALSE(acknowledgements.has_announcements(reader, true));
  EXPECT_FALSE(acknowledgements.has_answered(reader, writer));
  acknowledgements.received(acknack(user, 1));
  EXPECT_TRUE(acknowledgements.has_answered(reader, writer));
}

TEST(DdsAcknowledgements, OfDatagramsCutShortAreNone) {
  const Guid reader{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 7};
  const Guid writer{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 9, 3};
  const auto whole = acknack({0, 0, 9, 3}, 1);
  Acknowledgements acknowledgements;
  // Up to the place after reader, writer and number, which is all that is read.
  for (std::size_t size = 0; size < whole.size() - 8; ++size) {
    const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<long>(size));
    acknowledgements.received(cut);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto bent = whole;
    bent[at] = 0xff;
    Acknowledgements().received(bent);
  }
  EXPECT_FALSE(acknowledgements.has_answered(reader, writer));
}

}  // namespace
