// SPDX-License-Identifier: Apache-2.0
// Any type and any messages: nothing is read beyond a message, which lies in memory of its own, and
// columns are not much larger than the messages that they are made of. Messages that are read
// together become what they become alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fuzzing.hpp"
#include "wirecost/arrow/chunk.hpp"
#include "wirecost/arrow/messages.hpp"

namespace {

using namespace wirecost::arrow;

constexpr const char* formats[] = {"C", "S", "I", "L", "b"};
constexpr std::uint32_t widths[] = {1, 2, 4, 8, 1};

void add_node(Input& from, std::vector<Node>& nodes, int depth) {
  const std::uint8_t first = from.next();
  const std::size_t scalar = first / 16 % 5;
  Node node{.name = "n", .format = formats[scalar], .kind = static_cast<Kind>(1 + first % 8)};
  node.kept = first < 240;
  node.width = widths[scalar];
  node.count = 1 + from.next() % 5;
  if (depth > 6 && node.kind >= Kind::structure) node.kind = Kind::text;
  if (node.kind == Kind::time) node.format = "tsn:";
  if (node.kind == Kind::text) node.format = "U";
  if (node.kind == Kind::list || node.kind == Kind::array) node.children = 1;
  if (node.kind == Kind::structure) {
    node.format = "+s";
    node.children = static_cast<std::uint32_t>(1 + node.count % 4);
  }
  const std::size_t place = nodes.size();
  nodes.push_back(node);
  for (std::uint32_t i = 0; i < node.children; ++i) add_node(from, nodes, depth + 1);
  // As the package's plans: a list whose elements are not kept is not, either.
  if (node.kind == Kind::list || node.kind == Kind::array)
    nodes[place].kept = nodes[place].kept && nodes[place + 1].kept;
}

/// A type as sensor_msgs/PointCloud2, with points of any fields.
void add_cloud(Input& from, std::vector<Node>& nodes) {
  const auto add = [&](const char* name, Kind kind, const char* format, std::uint32_t width,
                       std::uint32_t children = 0, std::uint64_t count = 1) {
    nodes.push_back({.name = name,
                     .format = format,
                     .kind = kind,
                     .width = width,
                     .count = count,
                     .children = children});
    nodes.back().shown = from.next() < 200 || kind >= Kind::structure;
  };
  for (const char* name : {"height", "width"}) add(name, Kind::scalar, "I", 4);
  add("fields", Kind::list, "", 0, 1);
  add("", Kind::structure, "+s", 0, 4);
  add("name", Kind::text, "U", 0);
  add("offset", Kind::scalar, "I", 4);
  add("datatype", Kind::scalar, "C", 1);
  add("count", Kind::scalar, "I", 4);
  add("is_bigendian", Kind::scalar, "b", 1);
  for (const char* name : {"point_step", "row_step"}) add(name, Kind::scalar, "I", 4);
  add("points", Kind::points, "", from.next() % 40, 1, from.next() % 2);
  const std::uint32_t fields = 1 + from.next() % 3;
  add("", Kind::structure, "+s", 0, fields);
  for (std::uint32_t i = 0; i < fields; ++i) {
    const std::size_t scalar = from.next() % 3;
    add(i % 2 == 0 ? "x" : "yy", Kind::block, formats[scalar], widths[scalar], 0,
        1 + from.next() % 2);
    nodes.back().offset = from.next() % 40;
  }
}

/// A cloud that describes its points as the type does, but for what `from` changes later.
std::vector<std::byte> cloud_of(Input& from, const std::vector<Node>& nodes, bool headed) {
  std::vector<std::byte> message(headed ? 4 : 0);
  if (headed) message[1] = std::byte{1};
  const auto put = [&](std::uint32_t value, std::size_t width) {
    while (headed && message.size() % width != 0) message.push_back(std::byte{0});
    for (std::size_t i = 0; i < width; ++i) message.push_back(std::byte(value >> (8 * i)));
  };
  const auto points = std::ranges::find(nodes, Kind::points, &Node::kind);
  const std::uint32_t height = from.next() % 4, width = from.next() % 4;
  const std::uint32_t line = width * points->width;
  const std::uint32_t row = line + (height > 1 ? from.next() % 3 : 0);
  put(height, 4), put(width, 4), put(points[1].children, 4);
  for (auto field = points + 2; field != nodes.end(); ++field) {
    put(static_cast<std::uint32_t>(field->name.size()), 4);
    for (const char letter : field->name) message.push_back(std::byte(letter));
    put(static_cast<std::uint32_t>(field->offset), 4);
    put(field->format == "C" ? 2 : field->format == "S" ? 4 : 6, 1);
    put(static_cast<std::uint32_t>(field->count), 4);
  }
  put(static_cast<std::uint32_t>(points->count), 1);
  put(points->width, 4), put(row, 4), put(width != 0 ? row * height : 0, 4);
  for (std::uint32_t i = 0; width != 0 && i < row * height; ++i)
    message.push_back(std::byte{from.next()});
  return message;
}

/// Writes rows as messages, which become the same rows.
void check_written(const Batch& batch, const std::shared_ptr<const Plan>& plan) {
  std::vector<ColumnValues> by_node(plan->nodes.size());
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    if (plan->column_of[node] == none) continue;
    const ColumnData& data = batch.columns[plan->column_of[node]];
    const std::size_t begins = data.offsets.size() / sizeof(std::int64_t);
    by_node[node] = {{data.values.data(), data.values.size()}, {data.begins(), begins}};
  }
  WrittenMessages written;
  try {
    written = write_messages(*plan, by_node, batch.counts[0], 0, SIZE_MAX);
  } catch (const std::logic_error&) {  // a list that is not kept, points, a time that is too late
    return;
  }
  check(written.ends.size() == batch.counts[0]);
  std::vector<std::uint64_t> begins{0}, sizes;
  for (const std::uint64_t end : written.ends) {
    sizes.push_back(end - begins.back());
    begins.push_back(end);
  }
  begins.pop_back();
  const std::vector<std::int64_t> times(sizes.size(), 0);
  Pass again(plan);
  const std::span<const std::byte> memory = std::as_bytes(std::span(written.memory));
  again.add({memory, begins, sizes, times}, SIZE_MAX, SIZE_MAX);
  check(again.losses().damaged == 0 && again.losses().longer == 0);
  check_same(batch, *again.take(), false);
}

/// Any bytes as a chunk of MCAP.
void find_messages(const std::uint8_t* data, std::size_t size) {
  const auto chunk = std::make_unique<std::byte[]>(size);
  std::memcpy(chunk.get(), data, size);
  std::vector<std::uint64_t> offsets(size + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  const std::uint16_t channels[] = {0, 1};
  const Heads heads = message_heads({chunk.get(), size}, offsets, channels);
  for (std::size_t i = 0; i < heads.begins.size(); ++i)
    check(heads.begins[i] <= size && heads.sizes[i] <= size - heads.begins[i]);
  crc32({chunk.get(), size});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  find_messages(data, size);
  Input from(data, size);
  const std::uint8_t flags = from.next();
  const bool headed = (flags & 1) != 0;
  std::vector<Node> nodes;
  const bool is_cloud = (flags & 32) != 0;
  nodes.push_back({.name = "", .format = "+s", .children = is_cloud ? 8 : 1U + flags / 2 % 8});
  nodes.push_back({.name = "t", .format = "tsn:", .kind = Kind::recorded, .width = 8});
  if (is_cloud) add_cloud(from, nodes);
  for (std::uint32_t i = 1; !is_cloud && i < nodes[0].children; ++i) add_node(from, nodes, 0);
  std::shared_ptr<const Plan> plan;
  try {
    plan = std::make_shared<Plan>(nodes, headed ? 8 : 1, headed);
  } catch (const std::logic_error&) {
    return 0;
  }
  Pass pass(plan), together(plan);
  std::size_t whole = 0, messages = 0, rows = 0;
  std::vector<std::byte> memory;
  std::vector<std::uint64_t> begins, sizes;
  std::vector<std::int64_t> times;
  const auto take = [&] {
    const auto batch = pass.take();
    const auto copy = std::make_unique<std::byte[]>(memory.size());
    std::ranges::copy(memory, copy.get());
    check(together.add({{copy.get(), memory.size()}, begins, sizes, times}, 1U << 20U, 1U << 30U) ==
          begins.size());
    check_same(*batch, *together.take());
    memory.clear(), begins.clear(), sizes.clear(), times.clear();
    rows += batch->counts[0];
    check_written(*batch, plan);
    ArrowSchema schema;
    ArrowArray array;
    export_schema(*plan, schema);
    export_array(batch, array);
    check(array.length == static_cast<std::int64_t>(batch->counts[0]));
    // Most: a text that is no UTF-8 triples; a count of four bytes becomes an offset of eight.
    check(read(schema, array) <= 3 * whole + 8 * (messages + 1) * (nodes.size() + 1));
    array.release(&array);
    schema.release(&schema);
  };
  while (from.left() != 0) {
    const std::uint8_t next = from.next();
    // The last message again, but for a byte, or another one.
    const bool again = next == 255 && !sizes.empty();
    const std::vector<std::byte> cloud = is_cloud && !again && next % 2 == 0
                                             ? cloud_of(from, nodes, headed)
                                             : std::vector<std::byte>{};
    const std::size_t length = again           ? sizes.back()
                               : cloud.empty() ? std::min<std::size_t>(next, from.left())
                                               : cloud.size();
    // A copy of exactly its size: a byte beyond it is the sanitizer's.
    const auto copy = std::make_unique<std::byte[]>(length);
    if (again) {
      std::copy_n(memory.begin() + static_cast<std::ptrdiff_t>(begins.back()), length, copy.get());
      if (length != 0) copy[from.next() % length] ^= std::byte{from.next()};
    } else if (!cloud.empty()) {
      std::ranges::copy(cloud, copy.get());
    } else {
      std::memcpy(copy.get(), from.skip(length), length);
    }
    if (!again && cloud.empty() && headed && length > 1 && (length & 8) == 0)
      copy[0] = std::byte{0}, copy[1] = std::byte(length & 1);
    const std::uint64_t begin = 0, bytes = length;
    const std::int64_t time = static_cast<std::int64_t>(messages);
    check(pass.add({{copy.get(), length}, {&begin, 1}, {&bytes, 1}, {&time, 1}}, 1U << 20U,
                   1U << 30U) == 1);
    begins.push_back(memory.size());
    sizes.push_back(length);
    times.push_back(time);
    memory.insert(memory.end(), copy.get(), copy.get() + length);
    whole += length;
    ++messages;
    if (length % 16 == 5) take();
  }
  take();
  const Losses &alone = pass.losses(), &joined = together.losses();
  check(alone.damaged == joined.damaged && alone.longer == joined.longer &&
        alone.carried == joined.carried && alone.mended == joined.mended &&
        alone.pointless == joined.pointless && alone.refused == joined.refused);
  std::uint64_t refused = 0;
  for (const auto& [first, count] : pass.losses().refused) refused += count;
  check(rows + pass.losses().damaged + refused == messages);
  return 0;
}
