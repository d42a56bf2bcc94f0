// SPDX-License-Identifier: Apache-2.0
#include "cloud_cdr.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace nodes {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::size_t encapsulation = 4;
constexpr std::uint8_t little_endian_cdr[encapsulation] = {0, 1, 0, 0};
/// Length, offset, type and count: no field is smaller.
constexpr std::size_t least_field = 13;

class Cursor {
 public:
  explicit Cursor(PlainBytes bytes) : bytes_(bytes) {
    if (bytes.size < encapsulation || std::memcmp(bytes.first, little_endian_cdr, 2) != 0)
      throw std::invalid_argument("cloud: not little-endian CDR; let its sender use XCDR 1");
    at_ = encapsulation;
  }

  std::size_t at() const { return at_; }
  std::uint8_t octet() { return *bytes(1).first; }

  std::uint32_t number() {
    at_ += (encapsulation - at_) % 4;
    std::uint32_t value;
    std::memcpy(&value, bytes(sizeof value).first, sizeof value);
    return value;
  }

  PlainBytes bytes(std::size_t size) {
    if (at_ > bytes_.size || bytes_.size - at_ < size)
      throw std::invalid_argument("cloud: cut off at byte " + std::to_string(bytes_.size) +
                                  "; mend its sender");
    const PlainBytes found{bytes_.first + at_, size};
    at_ += size;
    return found;
  }

  std::string_view text() {
    const PlainBytes found = bytes(number());
    const auto* const first = reinterpret_cast<const char*>(found.first);
    // The final zero is counted; some senders leave it out of an empty text.
    return {first, found.size == 0 ? 0 : found.size - 1};
  }

  /// The length of a list whose elements take `least` bytes or more.
  std::uint32_t count(std::size_t least) {
    const std::uint32_t count = number();
    if (at_ > bytes_.size || (bytes_.size - at_) / least < count)
      throw std::invalid_argument("cloud: " + std::to_string(count) +
                                  " fields do not fit in the message; mend its sender");
    return count;
  }

 private:
  PlainBytes bytes_;
  std::size_t at_ = 0;
};

class Appender {
 public:
  explicit Appender(std::vector<std::uint8_t>& to) : to_(to) {
    to_.assign(little_endian_cdr, little_endian_cdr + encapsulation);
  }

  void octet(std::uint8_t value) { to_.push_back(value); }

  void number(std::uint32_t value) {
    to_.resize(to_.size() + (encapsulation - to_.size()) % 4);
    std::uint8_t written[sizeof value];
    std::memcpy(written, &value, sizeof value);
    bytes({written, sizeof value});
  }

  void bytes(PlainBytes value) { to_.insert(to_.end(), value.first, value.first + value.size); }

  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size() + 1));
    bytes({reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
    octet(0);
  }

 private:
  std::vector<std::uint8_t>& to_;
};

}  // namespace

void read(PlainBytes message, CloudMessage& to) {
  Cursor cursor(message);
  cursor.number();  // stamp: seconds
  cursor.number();  // stamp: nanoseconds
  cursor.text();    // frame_id
  to.header = {message.first + encapsulation, cursor.at() - encapsulation};
  PlainCloud& cloud = to.cloud;
  cloud.height = cursor.number();
  cloud.width = cursor.number();
  cloud.fields.clear();
  for (std::uint32_t left = cursor.count(least_field); left > 0; --left) {
    const std::string_view name = cursor.text();
    const std::uint32_t offset = cursor.number();
    const std::uint8_t datatype = cursor.octet();
    cloud.fields.push_back({name, offset, datatype, cursor.number()});
  }
  cloud.big_endian = cursor.octet() != 0;
  cloud.point_step = cursor.number();
  cloud.row_step = cursor.number();
  cloud.data = cursor.bytes(cursor.number());
  cursor.octet();  // is_dense
}

void write(PlainBytes header, PlainBytes points, std::vector<std::uint8_t>& to) {
  Appender message(to);
  message.bytes(header);
  message.number(1);
  message.number(static_cast<std::uint32_t>(points.size / filtered_step));
  message.number(static_cast<std::uint32_t>(filtered_fields().size()));
  for (const PlainField& field : filtered_fields()) {
    message.text(field.name);
    message.number(field.offset);
    message.octet(field.datatype);
    message.number(field.count);
  }
  message.octet(0);  // is_bigendian
  message.number(filtered_step);
  message.number(static_cast<std::uint32_t>(points.size));
  message.number(static_cast<std::uint32_t>(points.size));
  message.bytes(points);
  message.octet(1);  // is_dense
}

}  // namespace nodes
