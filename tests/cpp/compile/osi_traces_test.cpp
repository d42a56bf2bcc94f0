// SPDX-License-Identifier: Apache-2.0
// Every message of real traces, read and written again: the same bytes, or where the writer had
// another order of fields, an equal message under Google's parser.
//   osi_traces_test DESCRIPTORS FOLDER…    exit status 77: nothing to read
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>

#include "compile/codecs.hpp"
#include "osi3/osi_sensorview.protobuf.hpp"

namespace {

using namespace wirecost::test;
namespace pb = google::protobuf;

constexpr int skipped = 77;

WIRECOST_CODEC(SensorView, ::wire::osi3, SensorView, protobuf);
WIRECOST_CODEC(GroundTruth, ::wire::osi3, GroundTruth, protobuf);

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

// Names tell the message, but for two files that esmini wrote.
bool is_ground_truth(const std::string& name) {
  return name.find("_gt_") != std::string::npos || name == "alks_cut-in.osi" ||
         name == "acc-test.osi";
}

Counts check_named(const std::string& name, std::string_view bytes, Google& google) {
  return is_ground_truth(name) ? check_file<GroundTruth>("osi3.GroundTruth", bytes, google)
                               : check_file<SensorView>("osi3.SensorView", bytes, google);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  Google google(content(argv[1]));
  int messages = 0;
  int wrong = 0;
  for (const char* const folder : std::span(argv + 2, argv + argc)) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".osi") continue;
      const std::string name = entry.path().filename().string();
      const Counts counts = check_named(name, content(entry.path()), google);
      std::printf("%s: %d with the same bytes, %d equal, %d wrong\n", name.c_str(),
                  counts.same_bytes, counts.equal, counts.wrong);
      messages += counts.same_bytes + counts.equal;
      wrong += counts.wrong;
    }
  }
  if (messages + wrong == 0) {
    std::printf("skipped: there are no .osi files below %s\n", argv[2]);
    return skipped;
  }
  return wrong == 0 ? 0 : 1;
}
