// SPDX-License-Identifier: Apache-2.0
// One pass over messages in memory, which appends their values to columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "wirecost/arrow/batch.hpp"
#include "wirecost/arrow/plan.hpp"

namespace wirecost {
struct Reading;
}

namespace wirecost::arrow {

struct JsonText;

/// Messages in one piece of memory: where each begins, its bytes and when it was recorded.
struct Messages {
  std::span<const std::byte> memory;
  std::span<const std::uint64_t> begins, sizes;
  std::span<const std::int64_t> times;
};

/// What did not become values, or other ones. Nothing is ever read beyond a message.
struct Losses {
  std::uint64_t damaged = 0;  // messages that end too early, which have no row; of Protobuf: that
                              // and JSON: that are none, do not fit, or are too large in columns
  std::uint64_t longer = 0;   // messages with bytes behind their last field, which have one
  std::uint64_t carried = 0;  // times with a second or more of nanoseconds, or less than none
  std::uint64_t mended = 0;   // texts that are no UTF-8, in which U+FFFD stands for each wrong byte
  std::uint64_t pointless = 0;  // clouds of another layout than the plan's, whose points are null
  std::uint64_t unknown = 0;    // fields of Protobuf or JSON that the type does not have
  std::map<std::uint16_t, std::uint64_t> refused;  // messages by their first bytes, no plain CDR
};

class Pass {
 public:
  explicit Pass(std::shared_ptr<const Plan> plan);
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// Reads messages until there are so many rows, or rows of so many bytes as messages; returns how
  /// many were read. Throws std::bad_alloc.
  std::size_t add(const Messages& from, std::size_t most_rows, std::size_t most_bytes);
  /// Hands over the rows that were read since the last time.
  std::shared_ptr<Batch> take();

  std::size_t rows() const { return batch_->counts[0]; }
  std::size_t bytes() const { return bytes_; }
  const Losses& losses() const { return losses_; }

 private:
  /// Where a message or element has its values: so have others of its size with the same bytes in
  /// `same`.
  struct Layout {
    struct Bytes {
      std::ptrdiff_t begin;
      std::size_t size;
    };
    struct Part {
      const Step* step;
      std::size_t begin;
      std::size_t size, count;  // of texts and sequences: bytes; and what their offsets count
    };
    std::size_t size = 0;  // of the message, if this is one's; 0: not known
    bool is_longer = false;
    std::vector<Bytes> same;
    std::vector<Part> parts;
  };

  /// A row of a level.
  struct Row {
    std::uint32_t level;
    std::size_t number;
  };

  std::size_t alike(const Messages& from, std::size_t first, std::size_t most);
  std::size_t alike_elements(std::size_t size, std::size_t most);
  bool agrees(const std::byte* data) const;
  void add_alike(const std::int64_t* times, std::size_t count);
  void add_parts(std::size_t row, std::size_t count);
  void add_runs(const Layout::Part& part, std::size_t count);
  void note_times(const std::int64_t* times, std::size_t row, std::size_t count);
  bool noted_steps(const std::vector<Step>& steps, std::size_t row);
  bool ends_with_nul(const std::byte* text, std::size_t size) const;
  bool message(std::span<const std::byte> bytes, std::int64_t time);
  bool steps(const std::vector<Step>& steps, std::size_t row);
  bool step(const Step& step, std::size_t row);
  bool run(const Run& run, std::size_t row, std::size_t count);
  template <class Places>
  void leaf(const Leaf& leaf, std::size_t row, std::size_t count, Places from);
  bool text(const Step& step, std::size_t row);
  bool sequence(const Step& step, std::size_t row);
  bool elements(const Step& step, std::size_t row);
  bool flat_elements(const Step& step, std::size_t row, std::size_t count);
  bool points(const Step& step, std::size_t row);
  bool is_expected(std::size_t row) const;
  std::uint64_t noted(std::uint32_t column, std::size_t row) const;
  bool length(std::uint32_t& into);
  bool align(std::uint32_t width);
  void append_text(Buffer& to, std::string_view text);
  bool tagged_message(std::size_t row);
  const std::uint8_t* fields(std::uint32_t type, const std::uint8_t* p, const std::uint8_t* end,
                             Reading& reading, Row row, std::uint32_t group);
  const std::uint8_t* field(const Tag& tag, const std::uint8_t* p, const std::uint8_t* end,
                            Reading& reading, Row row);
  const std::uint8_t* value(const Tag& tag, const std::uint8_t* p, const std::uint8_t* end,
                            Reading& reading, Row row);
  const std::uint8_t* packed(const Tag& tag, const std::uint8_t* p, const std::uint8_t* end,
                             Reading& reading);
  bool choose(const TaggedMessage& message, const Tag& tag, Row row);
  void end_row(Row row);
  bool json_message(std::size_t row);
  bool object(const JsonValue& object, JsonText& text, Row row, int levels);
  bool list(const JsonValue& list, JsonText& text, Row row, int levels);
  bool value(const JsonValue& value, JsonText& text, Row row, int levels);
  bool moment(JsonText& text, std::byte* to, int levels);
  bool begin_element(Row row);
  bool count_bytes(std::size_t bytes);
  void set_present(std::uint32_t presence, Row row) {
    if (presence != none) batch_->columns[presence].values.data()[row.number] = std::byte{1};
  }
  bool is_tagged() const { return !plan_->messages.empty(); }
  /// Fields come in any order, and not all of them.
  bool is_sparse() const { return is_tagged() || plan_->json; }
  void ensure(std::uint32_t level, std::size_t rows);
  void remove(std::size_t first, std::size_t last, Row from);
  std::uint32_t number(const std::byte* from) const;

  std::shared_ptr<const Plan> plan_;
  std::size_t header_;  // bytes
  std::shared_ptr<Batch> batch_;
  std::vector<std::size_t> capacities_;  // rows of each level
  Losses losses_;
  // Of the message that is being read:
  std::uint64_t carried_ = 0, mended_ = 0, pointless_ = 0, unknown_ = 0;
  std::size_t row_bytes_ = 0;         // in columns, of Protobuf and JSON
  std::vector<std::size_t> touched_;  // rows of each level from which `remove` clears
  std::size_t bytes_ = 0;
  // The message: `at_` counts from behind its header and is never larger than `size_`.
  const std::byte* data_ = nullptr;
  std::size_t at_ = 0, size_ = 0;
  bool swapped_ = false;
  Layout layout_;
  std::array<const std::byte*, 64> alike_{};  // few enough that they stay in the nearest cache
};

}  // namespace wirecost::arrow
