// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <structmember.h>

#include <algorithm>
#include <array>

namespace wirecost::tensor {

namespace {

struct Part {
  std::uint64_t offset, length;
  PyObject* memory;    // an array or a memoryview
  const void* viewed;  // where the memoryview's bytes lie

  PyArrayObject* array() const { return PyArray_CheckExact(memory) ? as_array(memory) : nullptr; }
};

Bytes bytes_of(const Part& part) {
  const void* const data = part.array() != nullptr ? PyArray_DATA(part.array()) : part.viewed;
  return {static_cast<const std::uint8_t*>(data), part.length};
}

std::uint64_t size_of(PyArrayObject* array) {
  return static_cast<std::uint64_t>(PyArray_NBYTES(array));
}

struct Frame {
  PyVarObject ob_base;
  Py_ssize_t nbytes, copies, copied_bytes;
  PyObject* header;  // bytes
  Part parts[1];     // NOLINT(modernize-avoid-c-arrays): as many as ob_base says
};

PyTypeObject* frame_type = nullptr;

// What the next frame is most likely to look like.
struct Latest {
  PyObject* header = nullptr;
  PyArray_Descr* descr = nullptr;
  std::vector<npy_intp> shape;
  Py_ssize_t nbytes = 0;
  std::uint64_t offset = 0;
};
Latest latest;

std::span<Part> parts_of(Frame* frame) {
  return {static_cast<Part*>(frame->parts), static_cast<std::size_t>(frame->ob_base.ob_size)};
}

Frame* allocated(Py_ssize_t parts, PyObject* header, Py_ssize_t nbytes) {
  auto* const frame = reinterpret_cast<Frame*>(PyType_GenericAlloc(frame_type, parts));
  if (frame == nullptr) return nullptr;
  frame->nbytes = nbytes;
  frame->header = Py_NewRef(header);
  return frame;
}

void set_part(Frame* frame, std::size_t index, std::uint64_t offset, const Piece& piece) {
  PyObject* const memory = piece.memory.get();
  const std::uint64_t length =
      PyArray_CheckExact(memory) ? size_of(as_array(memory)) : piece.length;
  parts_of(frame)[index] = {offset, length, Py_NewRef(memory), piece.viewed};
}

void frame_dealloc(PyObject* self) {
  auto* const frame = reinterpret_cast<Frame*>(self);
  for (const Part& part : parts_of(frame)) Py_XDECREF(part.memory);
  Py_XDECREF(frame->header);
  release_memory(self);
}

// Whether its arrays have the memory that they had: NumPy can resize one that others refer to. An
// error is set where they have not.
bool is_whole(Frame* frame) {
  for (const Part& part : parts_of(frame)) {
    PyArrayObject* const array = part.array();
    if (array == nullptr || (size_of(array) == part.length && PyArray_IS_C_CONTIGUOUS(array)))
      continue;
    user_error("an array was resized since it was encoded: encode it again");
    return false;
  }
  return true;
}

// `piece(bytes)` for each piece in order, paddings too.
template <class Piece>
bool for_each_piece(Frame* frame, Piece piece) {
  const Bytes header{reinterpret_cast<const std::uint8_t*>(PyBytes_AsString(frame->header)),
                     static_cast<std::size_t>(PyBytes_Size(frame->header))};
  static constexpr std::array<std::uint8_t, alignment> zeros{};
  std::uint64_t end = header.size();
  if (!piece(header, nullptr)) return false;
  for (const Part& part : parts_of(frame)) {
    if (part.length == 0) continue;
    if (part.offset > end && !piece(Bytes(zeros).first(part.offset - end), nullptr)) return false;
    if (!piece(bytes_of(part), part.memory)) return false;
    end = part.offset + part.length;
  }
  return true;
}

void write(Frame* frame, std::uint8_t* to) {
  for_each_piece(frame, [&](Bytes bytes, PyObject*) {
    // An array may lie in the very buffer that it is written to.
    std::memmove(to, bytes.data(), bytes.size());
    to += bytes.size();
    return true;
  });
}

PyObject* frame_write_into(PyObject* self, PyObject* buffer) {
  auto* const frame = reinterpret_cast<Frame*>(self);
  Py_buffer view;
  if (PyObject_GetBuffer(buffer, &view, PyBUF_FULL_RO) != 0) return nullptr;
  if (PyBuffer_IsContiguous(&view, 'C') == 0) {
    PyBuffer_Release(&view);
    PyErr_SetString(PyExc_BufferError, "a frame is written to memory in one piece");
    return nullptr;
  }
  if (view.readonly != 0 || view.len < frame->nbytes) {
    const char* const readonly = view.readonly != 0 ? ", read-only," : "";
    const Py_ssize_t size = view.len;
    PyBuffer_Release(&view);
    return user_error("a buffer of %zd bytes%s cannot take a frame of %zd", size, readonly,
                      frame->nbytes);
  }
  const bool whole = is_whole(frame);
  if (whole) write(frame, static_cast<std::uint8_t*>(view.buf));
  PyBuffer_Release(&view);
  return whole ? PyLong_FromSsize_t(frame->nbytes) : nullptr;
}

PyObject* frame_tobytes(PyObject* self, PyObject*) {
  auto* const frame = reinterpret_cast<Frame*>(self);
  if (!is_whole(frame)) return nullptr;
  PyObject* const made = PyBytes_FromStringAndSize(nullptr, frame->nbytes);
  if (made != nullptr) write(frame, reinterpret_cast<std::uint8_t*>(PyBytes_AsString(made)));
  return made;
}

// The memory, which the view keeps alive.
PyObject* view_of(PyObject* memory) {
  const Ref view(PyMemoryView_FromObject(memory));
  return view ? PyObject_CallMethod(view.get(), "cast", "s", "B") : nullptr;
}

PyObject* frame_parts(PyObject* self, PyObject*) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  auto* const frame = reinterpret_cast<Frame*>(self);
  if (!is_whole(frame)) return nullptr;
  const bool whole = for_each_piece(frame, [&](Bytes bytes, PyObject* memory) {
    Ref part;
    if (memory != nullptr) {
      part = Ref(view_of(memory));
    } else {
      const Ref own(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                              static_cast<Py_ssize_t>(bytes.size())));
      if (own) part = Ref(PyMemoryView_FromObject(own.get()));
    }
    return part && PyList_Append(list.get(), part.get()) == 0;
  });
  return whole ? list.release() : nullptr;
}

PyMemberDef members[] = {
    {"nbytes", T_PYSSIZET, offsetof(Frame, nbytes), READONLY, "Size of the frame."},
    {"copies", T_PYSSIZET, offsetof(Frame, copies), READONLY, "What encoding had to copy."},
    {"copied_bytes", T_PYSSIZET, offsetof(Frame, copied_bytes), READONLY, "Of how many bytes."},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef methods[] = {
    {"parts", frame_parts, METH_NOARGS,
     "The frame's bytes in order, the tensors' as they lie, for scatter output."},
    {"write_into", frame_write_into, METH_O,
     "Writes the frame to the start of `buffer` and returns its size: the one copy."},
    {"tobytes", frame_tobytes, METH_NOARGS, "The frame in memory of its own."},
    {nullptr, nullptr, 0, nullptr},
};

std::array slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("An encoded message, as wirecost.tensor.Frame.")},
    PyType_Slot{Py_tp_dealloc, reinterpret_cast<void*>(frame_dealloc)},
    PyType_Slot{Py_tp_methods, methods},
    PyType_Slot{Py_tp_members, members},
    PyType_Slot{0, nullptr},
};
PyType_Spec spec{"wirecost._tensor.Frame", offsetof(Frame, parts), sizeof(Part),
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};

// Gives each piece its place behind a header of `header` bytes and writes the table of segments.
// Returns where the last one ends.
std::uint64_t place(Frame* frame, std::span<const Piece> pieces, std::uint8_t* table,
                    std::size_t header) {
  std::uint64_t end = header;
  for (std::size_t i = 0; i < pieces.size();) {
    const std::uint64_t start = aligned(end);
    std::uint64_t length = 0;
    do {
      set_part(frame, i, start + length, pieces[i]);
      length += parts_of(frame)[i].length;
      ++i;
    } while (i < pieces.size() && pieces[i].goes_on);
    const Segment segment{length != 0 ? start : 0, length};
    if (length != 0) end = start + length;
    std::memcpy(table, &segment, sizeof segment);
    table += sizeof segment;
  }
  return end;
}

void remember(PyArrayObject* array, Frame* frame) {
  // First, for it may find no memory.
  latest.shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  Py_XDECREF(std::exchange(latest.header, Py_NewRef(frame->header)));
  PyArray_Descr* const descr = PyArray_DESCR(array);
  Py_INCREF(reinterpret_cast<PyObject*>(descr));
  Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(latest.descr, descr)));
  latest.nbytes = frame->nbytes;
  latest.offset = parts_of(frame)[0].offset;
}

}  // namespace

PyObject* make_frame(Bytes description, std::span<const Piece> pieces, Py_ssize_t copies,
                     Py_ssize_t copied_bytes) {
  const auto segments =
      static_cast<std::size_t>(std::ranges::count(pieces, false, &Piece::goes_on));
  const std::size_t size = sizeof(Prefix) + segments * sizeof(Segment) + description.size();
  const Ref header(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!header) return nullptr;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(PyBytes_AsString(header.get()));
  Frame* const frame = allocated(static_cast<Py_ssize_t>(pieces.size()), header.get(), 0);
  if (frame == nullptr) return nullptr;
  frame->copies = copies;
  frame->copied_bytes = copied_bytes;
  const std::uint64_t end = place(frame, pieces, bytes + sizeof(Prefix), size);
  std::memcpy(bytes + size - description.size(), description.data(), description.size());
  Prefix prefix{.magic = {'W', 'C', 'T', 'F'},
                .version = 1,
                .flags = 0,
                .total = end,
                .header_bytes = static_cast<std::uint32_t>(size),
                .segments = static_cast<std::uint32_t>(segments),
                .reserved = 0,
                .crc = 0};
  std::memcpy(bytes, &prefix, sizeof prefix);
  constexpr std::size_t before_crc = sizeof prefix - sizeof prefix.crc;
  const Bytes whole(bytes, size);
  prefix.crc = crc32(whole.subspan(sizeof prefix), crc32(whole.first(before_crc)));
  std::memcpy(bytes, &prefix, sizeof prefix);
  frame->nbytes = static_cast<Py_ssize_t>(end);
  return reinterpret_cast<PyObject*>(frame);
}

PyObject* make_frame(PyArrayObject* array, Bytes description) {
  const Piece piece{.memory = Ref::borrowed(reinterpret_cast<PyObject*>(array))};
  Ref made(make_frame(description, std::span(&piece, 1)));
  if (made) remember(array, reinterpret_cast<Frame*>(made.get()));
  return made.release();
}

PyObject* make_frame_again(PyArrayObject* array) {
  const std::span shape(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)));
  if (latest.descr != PyArray_DESCR(array) || !std::ranges::equal(latest.shape, shape))
    return nullptr;
  Frame* const frame = allocated(1, latest.header, latest.nbytes);
  if (frame != nullptr)
    set_part(frame, 0, latest.offset,
             {.memory = Ref::borrowed(reinterpret_cast<PyObject*>(array))});
  return reinterpret_cast<PyObject*>(frame);
}

bool add_frames(PyObject* module) {
  frame_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return frame_type != nullptr &&
         PyModule_AddObjectRef(module, "Frame", reinterpret_cast<PyObject*>(frame_type)) == 0;
}

}  // namespace wirecost::tensor
