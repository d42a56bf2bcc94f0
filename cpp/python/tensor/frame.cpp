// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <structmember.h>

#include <algorithm>
#include <array>

namespace wirecost::tensor {

namespace {

struct Part {
  std::uint64_t offset, length;
  PyArrayObject* array;
};

struct Frame {
  PyVarObject ob_base;
  Py_ssize_t nbytes, copies;
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
  return {static_cast<Part*>(frame->parts), static_cast<std::size_t>(Py_SIZE(frame))};
}

Frame* allocated(Py_ssize_t parts, PyObject* header, Py_ssize_t nbytes) {
  auto* const frame = reinterpret_cast<Frame*>(frame_type->tp_alloc(frame_type, parts));
  if (frame == nullptr) return nullptr;
  frame->nbytes = nbytes;
  frame->header = Py_NewRef(header);
  return frame;
}

void set_part(Frame* frame, std::size_t index, std::uint64_t offset, PyArrayObject* array) {
  parts_of(frame)[index] = {offset, static_cast<std::uint64_t>(PyArray_NBYTES(array)),
                            as_array(Py_NewRef(reinterpret_cast<PyObject*>(array)))};
}

void frame_dealloc(PyObject* self) {
  auto* const frame = reinterpret_cast<Frame*>(self);
  for (const Part& part : parts_of(frame)) Py_XDECREF(reinterpret_cast<PyObject*>(part.array));
  Py_XDECREF(frame->header);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// Whether its arrays have the memory that they had: NumPy can resize one that others refer to. An
// error is set where they have not.
bool is_whole(Frame* frame) {
  for (const Part& part : parts_of(frame)) {
    if (static_cast<std::uint64_t>(PyArray_NBYTES(part.array)) == part.length &&
        PyArray_IS_C_CONTIGUOUS(part.array))
      continue;
    user_error("an array was resized since it was encoded: encode it again");
    return false;
  }
  return true;
}

// `piece(bytes)` for each piece in order, paddings too.
template <class Piece>
bool for_each_piece(Frame* frame, Piece piece) {
  const Bytes header{reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(frame->header)),
                     static_cast<std::size_t>(PyBytes_GET_SIZE(frame->header))};
  static constexpr std::array<std::uint8_t, alignment> zeros{};
  std::uint64_t end = header.size();
  if (!piece(header, nullptr)) return false;
  for (const Part& part : parts_of(frame)) {
    if (part.length == 0) continue;
    if (part.offset > end && !piece(Bytes(zeros).first(part.offset - end), nullptr)) return false;
    const auto* const data = static_cast<const std::uint8_t*>(PyArray_DATA(part.array));
    if (!piece(Bytes(data, part.length), part.array)) return false;
    end = part.offset + part.length;
  }
  return true;
}

void write(Frame* frame, std::uint8_t* to) {
  for_each_piece(frame, [&](Bytes bytes, PyArrayObject*) {
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
    return true;
  });
}

PyObject* frame_write_into(PyObject* self, PyObject* buffer) {
  auto* const frame = reinterpret_cast<Frame*>(self);
  Py_buffer view;
  if (PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) != 0) return nullptr;
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
  if (made != nullptr) write(frame, reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(made)));
  return made;
}

// An array's memory, which the view keeps alive.
PyObject* view_of(PyArrayObject* array) {
  const Ref view(PyMemoryView_FromObject(reinterpret_cast<PyObject*>(array)));
  return view ? PyObject_CallMethod(view.get(), "cast", "s", "B") : nullptr;
}

PyObject* frame_parts(PyObject* self, PyObject*) {
  Ref list(PyList_New(0));
  if (!list) return nullptr;
  auto* const frame = reinterpret_cast<Frame*>(self);
  if (!is_whole(frame)) return nullptr;
  const bool whole = for_each_piece(frame, [&](Bytes bytes, PyArrayObject* array) {
    Ref part;
    if (array != nullptr) {
      part = Ref(view_of(array));
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
    {"copies", T_PYSSIZET, offsetof(Frame, copies), READONLY, "None: arrays have no gaps here."},
    {"copied_bytes", T_PYSSIZET, offsetof(Frame, copies), READONLY, nullptr},
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

void remember(PyArrayObject* array, Frame* frame) {
  Py_XDECREF(std::exchange(latest.header, Py_NewRef(frame->header)));
  PyArray_Descr* const descr = PyArray_DESCR(array);
  Py_INCREF(reinterpret_cast<PyObject*>(descr));
  Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(latest.descr, descr)));
  latest.shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  latest.nbytes = frame->nbytes;
  latest.offset = parts_of(frame)[0].offset;
}

}  // namespace

PyObject* make_frame(Bytes description, std::span<PyArrayObject* const> arrays) {
  const std::size_t size = sizeof(Prefix) + arrays.size() * sizeof(Segment) + description.size();
  const Ref header(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
  if (!header) return nullptr;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(header.get()));
  Frame* const frame = allocated(static_cast<Py_ssize_t>(arrays.size()), header.get(), 0);
  if (frame == nullptr) return nullptr;
  std::uint64_t end = size;
  std::uint8_t* table = bytes + sizeof(Prefix);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto length = static_cast<std::uint64_t>(PyArray_NBYTES(arrays[i]));
    const Segment segment{length != 0 ? aligned(end) : 0, length};
    if (length != 0) end = segment.offset + length;
    std::memcpy(table, &segment, sizeof segment);
    table += sizeof segment;
    set_part(frame, i, segment.offset, arrays[i]);
  }
  std::memcpy(table, description.data(), description.size());
  Prefix prefix{.magic = {'W', 'C', 'T', 'F'},
                .version = 1,
                .flags = 0,
                .total = end,
                .header_bytes = static_cast<std::uint32_t>(size),
                .segments = static_cast<std::uint32_t>(arrays.size()),
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
  PyObject* const made = make_frame(description, std::span(&array, 1));
  if (made != nullptr) remember(array, reinterpret_cast<Frame*>(made));
  return made;
}

PyObject* make_frame_again(PyArrayObject* array) {
  const std::span shape(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)));
  if (latest.descr != PyArray_DESCR(array) || !std::ranges::equal(latest.shape, shape))
    return nullptr;
  Frame* const frame = allocated(1, latest.header, latest.nbytes);
  if (frame != nullptr) set_part(frame, 0, latest.offset, array);
  return reinterpret_cast<PyObject*>(frame);
}

bool add_frames(PyObject* module) {
  frame_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return frame_type != nullptr &&
         PyModule_AddObjectRef(module, "Frame", reinterpret_cast<PyObject*>(frame_type)) == 0;
}

}  // namespace wirecost::tensor
