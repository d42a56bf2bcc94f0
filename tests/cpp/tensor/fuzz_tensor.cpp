// SPDX-License-Identifier: Apache-2.0
// libFuzzer on the quick path of wirecost.tensor, compiled with the sanitizers and Python's memory
// from malloc: whatever a frame or an Arrow message says, nothing is read outside of it, every byte
// of the arrays that come out may be read, and what came out may be encoded.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "cpp/python/tensor/layout.hpp"
#define NO_IMPORT_ARRAY
#include "cpp/python/tensor/python.hpp"

PyMODINIT_FUNC PyInit__tensor();  // NOLINT(bugprone-reserved-identifier): as Python wants it

namespace {

using wirecost::tensor::Bytes;
using wirecost::tensor::Prefix;
using wirecost::tensor::Ref;

PyObject* decode = nullptr;
PyObject* encode = nullptr;
PyObject* arrow_batch = nullptr;

// Objects of frameworks are given back in parts.
constexpr const char* setup = R"(
import _tensor
class Budget:
    def take(self, what, nbytes): pass
class Other: pass
make = lambda *arrays: arrays
_tensor.use({}, None, Other, Other, lambda *_: Budget(), lambda *parts: parts, lambda *_: make)
)";

[[noreturn]] void fail() {
  PyErr_Print();
  std::abort();
}

// A header whose sizes fit and whose checksum is right, or hardly a frame would be looked into.
std::vector<std::uint8_t> corrected(Bytes data) {
  std::vector<std::uint8_t> frame(data.begin(), data.end());
  Prefix prefix;
  if (frame.size() < sizeof prefix) return frame;
  std::memcpy(&prefix, frame.data(), sizeof prefix);
  std::memcpy(prefix.magic, "WCTF", 4);
  prefix.version = 1;
  prefix.total = frame.size();
  prefix.header_bytes = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(prefix.header_bytes, sizeof prefix, frame.size()));
  std::memcpy(frame.data(), &prefix, sizeof prefix);
  const Bytes header = Bytes(frame).first(prefix.header_bytes);
  prefix.crc = wirecost::tensor::crc32(header.subspan(sizeof prefix),
                                       wirecost::tensor::crc32(header.first(28)));
  std::memcpy(frame.data(), &prefix, sizeof prefix);
  return frame;
}

std::uint64_t sum(PyObject* value) {
  if (PyArray_Check(value)) {
    const auto* const data =
        static_cast<const std::uint8_t*>(PyArray_DATA(wirecost::tensor::as_array(value)));
    const auto size = static_cast<std::size_t>(PyArray_NBYTES(wirecost::tensor::as_array(value)));
    return std::accumulate(data, data + size, std::uint64_t{0});
  }
  std::uint64_t found = 0;
  if (PyDict_CheckExact(value)) {
    PyObject *key, *item;
    for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &item) != 0;) found += sum(item);
  } else if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(value);
    for (Py_ssize_t i = 0; i < size; ++i) found += sum(PySequence_Fast_GET_ITEM(value, i));
  }
  return found;
}

}  // namespace

extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_leaks=0";                         // Python keeps what it made at its start
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("PYTHONMALLOC", "malloc", 1);
  setenv("PYTHONPATH", NUMPY_FOLDER, 1);
  if (PyImport_AppendInittab("_tensor", PyInit__tensor) != 0) std::abort();
  Py_Initialize();
  if (PyRun_SimpleString(setup) != 0) std::abort();
  const Ref module(PyImport_ImportModule("_tensor"));
  if (!module) fail();
  decode = PyObject_GetAttrString(module.get(), "decode");
  encode = PyObject_GetAttrString(module.get(), "encode");
  arrow_batch = PyObject_GetAttrString(module.get(), "arrow_batch");
  return 0;
}

// The first byte chooses: an Arrow message, or a frame.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes rest(data + 1, size - 1);
  const std::vector<std::uint8_t> frame =
      data[0] == 'A' ? std::vector<std::uint8_t>(rest.begin(), rest.end()) : corrected(rest);
  const Ref bytes(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(frame.data()),
                                            static_cast<Py_ssize_t>(frame.size())));
  if (!bytes) fail();
  static volatile std::uint64_t kept;
  if (data[0] == 'A') {
    if (!Ref(PyObject_CallOneArg(arrow_batch, bytes.get()))) fail();
    return 0;
  }
  // The second time, the header may be known.
  for (int time = 0; time < 2; ++time) {
    const Ref found(PyObject_CallFunction(decode, "OO", bytes.get(), Py_None));
    if (!found) fail();
    kept = kept + sum(found.get());
    const Ref again(PyObject_CallOneArg(encode, found.get()));
    if (!again) fail();
    if (again.get() != Py_None && !Ref(PyObject_CallMethod(again.get(), "tobytes", nullptr)))
      fail();
  }
  return 0;
}
