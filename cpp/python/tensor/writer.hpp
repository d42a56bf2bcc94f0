// SPDX-License-Identifier: Apache-2.0
// Values and tensors of one message as a description and segments: the same bytes that
// messaging/tensor/writer.py makes. Objects of frameworks are taken apart by its handlers, which
// get a WriterHandle in place of that Writer.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "frame.hpp"
#include "packed.hpp"
#include "python.hpp"

namespace wirecost::tensor {

class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  // Whether the value is one of those that are handled here. Where it is not, an error may be set.
  bool add(PyObject* value);

  // A tensor that lies as `array`, of elements that go by the name `type`.
  bool add_tensor(PyArrayObject* array, std::string_view type, std::string_view framework);

  // An array without gaps or a memoryview of bytes; its number is that of the segments before it.
  bool add_segment(PyObject* memory);
  std::size_t segments() const { return segments_; }

  void copied(Py_ssize_t nbytes) { ++copies_, copied_bytes_ += nbytes; }

  // What `write` adds, apart from what was added before. None where it gives false.
  template <class Write>
  std::optional<Packed> apart(Write write) {
    Packed before = std::exchange(packed_, Packed());
    const bool whole = write();
    Packed found = std::exchange(packed_, std::move(before));
    if (!whole) return std::nullopt;
    return found;
  }

  // No frame is made of this message, whatever is added yet.
  void give_up() { whole_ = false; }

  // Null where Python has to make it; an error may be set.
  PyObject* frame() const;

 private:
  bool add_array(PyArrayObject* array);
  bool add_integer(PyObject* value);
  bool add_string(PyObject* value);
  bool add_bytes(PyObject* value);
  bool add_dict(PyObject* value);
  bool add_list(PyObject* value);
  bool add_pieces(PyObject* value);
  bool add_extension(PyObject* value);
  bool add_by_handler(PyObject* value);

  Packed packed_;
  std::vector<Piece> pieces_;
  std::size_t segments_ = 0;
  Py_ssize_t copies_ = 0, copied_bytes_ = 0;
  int nested_ = 0;
  bool whole_ = true;  // nothing was refused, whatever a handler made of that
  PyObject* handle_ = nullptr;
};

}  // namespace wirecost::tensor
