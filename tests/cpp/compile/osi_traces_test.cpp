// SPDX-License-Identifier: Apache-2.0
// Every message of real traces, read and written again: the same bytes, or where the writer had
// another order of fields, an equal message under Google's parser.
//   osi_traces_test DESCRIPTORS FOLDER     exit status 77: nothing to read
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "compile/codecs.hpp"
#include "osi3/osi_sensordata.protobuf.hpp"
#include "osi3/osi_sensorview.protobuf.hpp"

namespace {

using namespace wirecost::test;
namespace pb = google::protobuf;

constexpr int skipped = 77;

WIRECOST_CODEC(SensorView, ::wire::osi3, SensorView, protobuf);
WIRECOST_CODEC(SensorData, ::wire::osi3, SensorData, protobuf);

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Google's reading of any OSI message.
class Google {
 public:
  explicit Google(const std::string& descriptors) {
    pb::FileDescriptorSet set;
    if (!set.ParseFromString(descriptors)) throw std::runtime_error("no descriptors");
    for (const auto& file : set.file()) {
      if (pool_.FindFileByName(file.name()) == nullptr) pool_.BuildFile(file);
    }
  }

  bool equal(const std::string& type, const std::string& a, const std::string& b) {
    const auto* prototype = factory_.GetPrototype(pool_.FindMessageTypeByName(type));
    const std::unique_ptr<pb::Message> first(prototype->New());
    const std::unique_ptr<pb::Message> second(prototype->New());
    if (!first->ParseFromString(a) || !second->ParseFromString(b)) return false;
    first->DiscardUnknownFields();  // of later versions of OSI
    return pb::util::MessageDifferencer::Equals(*first, *second);
  }

 private:
  pb::DescriptorPool pool_{pb::DescriptorPool::generated_pool()};
  pb::DynamicMessageFactory factory_;
};

struct Counts {
  int same_bytes = 0;
  int equal = 0;
  int wrong = 0;
};

template <class Codec>
void check(const std::string& type, const std::string& message, typename Codec::Message& reused,
           Google& google, Counts& counts) {
  const auto input = exact(message);
  typename Codec::View view;
  if (Codec::decode(input, reused) || Codec::view(input, view)) {
    ++counts.wrong;
    return;
  }
  const std::string again = encoded<Codec>(reused);
  if (again == message) {
    ++counts.same_bytes;
  } else if (google.equal(type, message, again)) {
    ++counts.equal;
  } else {
    ++counts.wrong;
  }
}

// An .osi file is messages, each behind its size as a u32.
template <class Codec>
Counts check_file(const std::string& type, std::string_view rest, Google& google) {
  Counts counts;
  typename Codec::Message reused;
  while (rest.size() >= 4) {
    std::uint32_t size = 0;
    std::memcpy(&size, rest.data(), sizeof size);
    rest.remove_prefix(4);
    if (size > rest.size()) break;
    check<Codec>(type, std::string(rest.substr(0, size)), reused, google, counts);
    rest.remove_prefix(size);
  }
  counts.wrong += rest.empty() ? 0 : 1;
  return counts;
}

// Names tell the message, but for two files that hold SensorData whatever they are called.
bool is_sensor_data(const std::string& name) {
  return name.find("_sd_") != std::string::npos || name == "small_test.osi" ||
         name.find("one_moving_object") != std::string::npos;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::filesystem::path folder(argv[2]);
  if (!std::filesystem::is_directory(folder)) {
    std::printf("skipped: there are no traces in %s\n", argv[2]);
    return skipped;
  }
  Google google(content(argv[1]));
  int messages = 0;
  int wrong = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".osi") continue;
    const std::string name = entry.path().filename().string();
    const std::string bytes = content(entry.path());
    const Counts counts = is_sensor_data(name)
                              ? check_file<SensorData>("osi3.SensorData", bytes, google)
                              : check_file<SensorView>("osi3.SensorView", bytes, google);
    std::printf("%s: %d with the same bytes, %d equal, %d wrong\n", name.c_str(), counts.same_bytes,
                counts.equal, counts.wrong);
    messages += counts.same_bytes + counts.equal;
    wrong += counts.wrong;
  }
  if (messages + wrong == 0) {
    std::printf("skipped: there are no .osi files below %s\n", argv[2]);
    return skipped;
  }
  return wrong == 0 ? 0 : 1;
}
