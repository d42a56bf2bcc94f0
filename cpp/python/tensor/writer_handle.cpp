// SPDX-License-Identifier: Apache-2.0
#include "writer_handle.hpp"

#include <array>

#include "element_types.hpp"
#include "python_side.hpp"
#include "writer.hpp"

namespace wirecost::tensor {

namespace {

struct Handle {
  PyObject ob_base;
  Writer* writer;
};

struct Prepared {
  PyVarObject ob_base;
  std::uint8_t packed[1];  // NOLINT(modernize-avoid-c-arrays): as many as ob_base says
};

PyTypeObject* handle_type = nullptr;
PyTypeObject* prepared_type = nullptr;

void dealloc(PyObject* self) { release_memory(self); }

// Whatever the handler makes of the error, this message is Python's.
PyObject* left_to_python(Writer* writer) {
  writer->give_up();
  if (PyErr_Occurred() == nullptr)
    PyErr_SetString(PyExc_NotImplementedError, "wirecost._tensor leaves this message to Python");
  return nullptr;
}

// As a method of a handle.
template <auto function, class... Arguments>
PyObject* method(PyObject* self, Arguments... arguments) noexcept {
  Writer* const writer = reinterpret_cast<Handle*>(self)->writer;
  if (writer == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "a writer is for one message");
    return nullptr;
  }
  try {
    return function(writer, arguments...);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return left_to_python(writer);
  }
}

PyObject* prepared(Writer* writer, const std::optional<Packed>& packed) {
  if (!packed) return left_to_python(writer);
  const Bytes bytes = packed->bytes();
  PyObject* const made = PyType_GenericAlloc(prepared_type, static_cast<Py_ssize_t>(bytes.size()));
  if (made != nullptr)
    std::memcpy(reinterpret_cast<Prepared*>(made)->packed, bytes.data(), bytes.size());
  return made;
}

// The text of a str, which keeps it.
std::optional<std::string_view> text_of(PyObject* value) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) return std::nullopt;
  return std::string_view(text, static_cast<std::size_t>(size));
}

PyObject* prepare(Writer* writer, PyObject* value) {
  return prepared(writer, writer->apart([&] { return writer->add(value); }));
}

PyObject* extension(Writer* writer, PyObject* const* arguments, Py_ssize_t count) {
  const long code = count == 2 ? PyLong_AsLong(arguments[0]) : -1;
  if (code < 0 || code > INT8_MAX) return left_to_python(writer);
  const auto payload = writer->apart([&] { return writer->add(arguments[1]); });
  if (!payload) return left_to_python(writer);
  Packed found;
  found.extension(static_cast<unsigned>(code), payload->bytes());
  return prepared(writer, found);
}

// tensor(array, framework, dtype=None)
PyObject* tensor(Writer* writer, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 2 || count > 3 || !PyArray_CheckExact(arguments[0])) return left_to_python(writer);
  PyArrayObject* const array = as_array(arguments[0]);
  const bool named = count == 3 && arguments[2] != Py_None;
  const auto type = named ? text_of(arguments[2]) : name_of(PyArray_DESCR(array));
  const auto framework = text_of(arguments[1]);
  if (!type || type->empty() || !framework) return left_to_python(writer);
  return prepared(writer,
                  writer->apart([&] { return writer->add_tensor(array, *type, *framework); }));
}

PyObject* segment(Writer* writer, PyObject* memory) {
  const std::size_t index = writer->segments();
  return writer->add_segment(memory) ? PyLong_FromSize_t(index) : left_to_python(writer);
}

PyObject* copied(Writer* writer, PyObject* nbytes) {
  const Py_ssize_t count = PyNumber_AsSsize_t(nbytes, PyExc_OverflowError);
  if (count == -1 && PyErr_Occurred() != nullptr) return left_to_python(writer);
  writer->copied(count);
  Py_RETURN_NONE;
}

// A tensor on a device is moved by what the caller chose, once: Python does it.
PyObject* on_host(Writer* writer, PyObject*) { return left_to_python(writer); }

using Objects = PyObject* const*;

std::array methods{
    PyMethodDef{"prepare", method<prepare, PyObject*>, METH_O, "A value as handlers may give it."},
    PyMethodDef{"extension", as_function(method<extension, Objects, Py_ssize_t>), METH_FASTCALL,
                "An extension whose payload is a value."},
    PyMethodDef{"tensor", as_function(method<tensor, Objects, Py_ssize_t>), METH_FASTCALL,
                "A tensor that lies as an array."},
    PyMethodDef{"segment", method<segment, PyObject*>, METH_O,
                "Takes memory, and gives its number."},
    PyMethodDef{"copied", method<copied, PyObject*>, METH_O, "Counts a copy."},
    PyMethodDef{"on_host", method<on_host, PyObject*>, METH_VARARGS, "Left to Python."},
    PyMethodDef{nullptr, nullptr, 0, nullptr},
};
std::array handle_slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("As wirecost.tensor.writer.Writer.")},
    PyType_Slot{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    PyType_Slot{Py_tp_methods, methods.data()},
    PyType_Slot{0, nullptr},
};
PyType_Spec handle_spec{"wirecost._tensor.WriterHandle", sizeof(Handle), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        handle_slots.data()};

std::array prepared_slots{
    PyType_Slot{Py_tp_doc, const_cast<char*>("Packed values, for a writer.")},
    PyType_Slot{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    PyType_Slot{0, nullptr},
};
PyType_Spec prepared_spec{"wirecost._tensor.Prepared", offsetof(Prepared, packed), 1,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          prepared_slots.data()};

}  // namespace

bool prepare_handles() {
  handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&handle_spec));
  prepared_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&prepared_spec));
  return handle_type != nullptr && prepared_type != nullptr;
}

PyObject* make_handle(Writer& writer) {
  PyObject* const made = PyType_GenericAlloc(handle_type, 0);
  if (made != nullptr) reinterpret_cast<Handle*>(made)->writer = &writer;
  return made;
}

void close_handle(PyObject* handle) {
  reinterpret_cast<Handle*>(handle)->writer = nullptr;
  Py_DECREF(handle);
}

std::optional<Bytes> prepared_bytes(PyObject* object) {
  if (Py_TYPE(object) != prepared_type) return std::nullopt;
  return Bytes(reinterpret_cast<Prepared*>(object)->packed,
               static_cast<std::size_t>(Py_SIZE(object)));
}

}  // namespace wirecost::tensor
