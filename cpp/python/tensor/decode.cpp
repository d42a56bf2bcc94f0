// SPDX-License-Identifier: Apache-2.0
// Frames of plain values and arrays, read in place. What is accepted here,
// messaging/tensor/reader.py accepts too, with the same result; whatever differs in the least is
// left to it.
#include "decode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <memory>
#include <vector>

#include "element_types.hpp"
#include "held.hpp"
#include "layout.hpp"
#include "python_side.hpp"

namespace wirecost::tensor {

namespace {

constexpr int most_nested = 32;
constexpr std::size_t most_dimensions = 32;
// Extensions of a message that are handled here; Python counts what more of them cost.
constexpr int most_extensions = 1024;
constexpr std::uint8_t tensor_extension = 1, object_extension = 2, tuple_extension = 5;
// An object's description above this is paid for.
constexpr std::size_t large_object = 4096;
// Objects of a message that plans make: they take nothing from its budget.
constexpr int most_planned = 16;
constexpr std::size_t most_planned_arrays = 64;

// An array's form as it lies, and the order of axes that makes it the sender's.
struct Form {
  int number = 0;
  std::size_t dimensions = 0;
  std::array<npy_intp, most_dimensions> shape{};
  std::array<npy_intp, most_dimensions> turn{};
  bool turned = false;

  std::span<const npy_intp> extents() const { return std::span(shape).first(dimensions); }
};

// A frame of one array, as the one before.
struct Latest {
  std::vector<std::uint8_t> header;
  std::uint64_t total = 0, offset = 0;
  Form form;
};
Latest latest;

// An array and the segment that it lies in.
struct Placed {
  std::uint64_t segment;
  Form form;
};

// An object that was described before: the function that makes the same one of its arrays.
struct Plan {
  std::vector<std::uint8_t> description;
  std::vector<Placed> arrays;
  Ref make;  // none until the object comes again; Python's None where there is no such function

  bool makes() const { return make && make.get() != Py_None; }
};

// Those of the latest objects. Never freed: Python ends before.
auto& plans = *new std::array<std::shared_ptr<const Plan>, 8>;
std::size_t next_plan = 0;

std::shared_ptr<const Plan>* plan_of(Bytes description) {
  for (auto& plan : plans)
    if (plan && std::ranges::equal(plan->description, description)) return &plan;
  return nullptr;
}

Ref array_of(PyObject* held, std::uint64_t offset, const Form& form) {
  Ref lies = array_over(held, bytes_of(held).data() + offset, PyArray_DescrFromType(form.number),
                        form.extents());
  if (!lies || !form.turned) return lies;
  auto turn = form.turn;
  PyArray_Dims dims{turn.data(), static_cast<int>(form.dimensions)};
  return Ref(PyArray_Transpose(as_array(lies.get()), &dims));
}

// Reads MessagePack. Every function gives nothing for what is not there or not handled.
class Packed {
 public:
  explicit Packed(Bytes bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }

  std::optional<std::uint8_t> byte() {
    if (bytes_.empty()) return std::nullopt;
    const std::uint8_t found = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return found;
  }
  std::optional<Bytes> take(std::uint64_t size) {
    if (size > bytes_.size()) return std::nullopt;
    const Bytes found = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return found;
  }
  // Of `size` bytes, the most significant first.
  std::optional<std::uint64_t> big(std::size_t size) {
    const std::optional<Bytes> bytes = take(size);
    if (!bytes) return std::nullopt;
    std::uint64_t found = 0;
    for (const std::uint8_t one : *bytes) found = found << 8 | one;
    return found;
  }
  // An integer from 0.
  std::optional<std::uint64_t> natural() {
    const std::optional<std::uint8_t> first = byte();
    if (!first || *first < 0x80) return first;
    if (*first < 0xCC || *first > 0xCF) return std::nullopt;
    return big(std::size_t{1} << (*first - 0xCC));
  }
  std::optional<std::string_view> text(std::uint64_t size) {
    const std::optional<Bytes> bytes = take(size);
    if (!bytes) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  std::optional<std::string_view> short_text() {
    const std::optional<std::uint8_t> first = byte();
    if (!first || (*first & 0xE0) != 0xA0) return std::nullopt;
    return text(*first & 0x1F);
  }

 private:
  Bytes bytes_;
};

class Reader {
 public:
  Reader(PyObject* held, const Header& header)
      : held_(held),
        header_(header),
        packed_(header.description()),
        values_(header.description().size()) {}

  // Null for what is not handled; an error may be set then.
  Ref message() {
    Ref found = value(0);
    if (!found || !packed_.at_end() || used_.count() != header_.segments()) return {};
    return found;
  }

  // The only array, where the message is one.
  std::optional<Form> only;

 private:
  Ref value(int nested) {
    const std::optional<std::uint8_t> first = packed_.byte();
    if (!first) return {};
    const std::uint8_t byte = *first;
    if (byte < 0x80) return Ref(PyLong_FromLong(byte));
    if (byte >= 0xE0) return Ref(PyLong_FromLong(static_cast<std::int8_t>(byte)));
    if (byte < 0x90) return map(byte & 0x0F, nested);
    if (byte < 0xA0) return array(byte & 0x0F, nested);
    if (byte < 0xC0) return string(byte & 0x1F);
    switch (byte) {
      case 0xC0: return Ref::borrowed(Py_None);
      case 0xC2: return Ref::borrowed(Py_False);
      case 0xC3: return Ref::borrowed(Py_True);
      case 0xC4:
      case 0xC5:
      case 0xC6: return binary(size(byte - 0xC4));
      case 0xC7:
      case 0xC8:
      case 0xC9: return extension(size(byte - 0xC7), nested);
      case 0xCA: return real32(packed_.big(4));
      case 0xCB: return real64(packed_.big(8));
      case 0xCC:
      case 0xCD:
      case 0xCE:
      case 0xCF: return natural(size(byte - 0xCC));
      case 0xD0:
      case 0xD1:
      case 0xD2:
      case 0xD3: return integer(byte - 0xD0);
      case 0xD4:
      case 0xD5:
      case 0xD6:
      case 0xD7:
      case 0xD8: return extension(std::uint64_t{1} << (byte - 0xD4), nested);
      case 0xD9:
      case 0xDA:
      case 0xDB: return string(size(byte - 0xD9));
      case 0xDC:
      case 0xDD: return array(size(byte - 0xDC + 1), nested);
      case 0xDE:
      case 0xDF: return map(size(byte - 0xDE + 1), nested);
      default: return {};
    }
  }

  std::optional<std::uint64_t> size(int power) { return packed_.big(std::size_t{1} << power); }

  static Ref natural(std::optional<std::uint64_t> found) {
    return found ? Ref(PyLong_FromUnsignedLongLong(*found)) : Ref();
  }
  Ref integer(int power) {
    const std::optional<std::uint64_t> found = size(power);
    if (!found) return {};
    const int unused = 64 - (8 << power);
    return Ref(PyLong_FromLongLong(static_cast<std::int64_t>(*found << unused) >> unused));
  }
  static Ref real32(std::optional<std::uint64_t> bits) {
    if (!bits) return {};
    return Ref(PyFloat_FromDouble(std::bit_cast<float>(static_cast<std::uint32_t>(*bits))));
  }
  static Ref real64(std::optional<std::uint64_t> bits) {
    return bits ? Ref(PyFloat_FromDouble(std::bit_cast<double>(*bits))) : Ref();
  }
  Ref string(std::optional<std::uint64_t> length) {
    const auto text = length ? packed_.text(*length) : std::nullopt;
    if (!text) return {};
    return Ref(PyUnicode_DecodeUTF8(text->data(), static_cast<Py_ssize_t>(text->size()), nullptr));
  }
  Ref binary(std::optional<std::uint64_t> length) {
    const auto text = length ? packed_.text(*length) : std::nullopt;
    if (!text) return {};
    return Ref(PyBytes_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size())));
  }

  // Whether there can be so many values more: room is made before they are read, and each has a
  // byte of its own.
  bool claim(std::optional<std::uint64_t> count) {
    if (!count || *count > values_) return false;
    values_ -= *count;
    return true;
  }

  Ref array(std::optional<std::uint64_t> count, int nested) {
    if (nested == most_nested || !claim(count)) return {};
    Ref list(PyList_New(static_cast<Py_ssize_t>(*count)));
    if (!list) return {};
    for (std::uint64_t i = 0; i < *count; ++i) {
      Ref item = value(nested + 1);
      if (!item) return {};
      PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), item.release());
    }
    return list;
  }

  Ref map(std::optional<std::uint64_t> count, int nested) {
    if (nested == most_nested || !claim(count)) return {};
    Ref dict(PyDict_New());
    if (!dict) return {};
    for (std::uint64_t i = 0; i < *count; ++i) {
      const Ref key = value(most_nested);
      if (!key || !PyUnicode_CheckExact(key.get())) return {};
      const Ref item = value(nested + 1);
      if (!item || PyDict_SetItem(dict.get(), key.get(), item.get()) != 0) return {};
    }
    return dict;
  }

  Ref extension(std::optional<std::uint64_t> length, int nested) {
    const std::optional<std::uint8_t> code = length ? packed_.byte() : std::nullopt;
    const std::optional<Bytes> payload = code ? packed_.take(*length) : std::nullopt;
    if (!payload || nested == most_nested || ++extensions_ > most_extensions) return {};
    if (*code == tensor_extension) return tensor(Packed(*payload), nested);
    if (*code == tuple_extension && payload->size() <= large_object) {
      const Ref list = list_of(*payload, nested);
      return list ? Ref(PyList_AsTuple(list.get())) : Ref();
    }
    if (*code != object_extension) return {};
    if (payload->size() <= large_object && !inside_object_) return known_object(*payload, nested);
    const Ref list = list_of(*payload, nested);
    return list ? object(list.get(), payload->size()) : Ref();
  }

  Ref list_of(Bytes payload, int nested) {
    const Packed behind = std::exchange(packed_, Packed(payload));
    Ref list = value(nested + 1);
    const bool whole = packed_.at_end();
    packed_ = behind;
    return list && whole && PyList_CheckExact(list.get()) != 0 ? std::move(list) : Ref();
  }

  // An object of the same description as one before differs in its arrays only. What came once is
  // remembered, what comes again is planned, and then made without a look at its description.
  Ref known_object(Bytes payload, int nested) {
    auto* const known = plan_of(payload);
    const auto plan = known != nullptr ? *known : nullptr;  // kept, whatever Python does meanwhile
    if (plan && plan->makes() && planned_++ < most_planned) return planned(*plan);
    placed_.clear();
    inside_object_ = true;
    const Ref list = list_of(payload, nested);
    inside_object_ = false;
    Ref made = list ? object(list.get(), payload.size()) : Ref();
    if (made && (!plan || !plan->make)) {
      auto next = std::make_shared<Plan>();
      next->description.assign(payload.begin(), payload.end());
      if (plan && !plan_again(*next, list.get())) return {};
      if (known == nullptr) next_plan = (next_plan + 1) % plans.size();
      (known != nullptr ? *known : plans[next_plan]) = std::move(next);
    }
    return made;
  }

  // Of the [framework, kind, body] that an object was restored from.
  bool plan_again(Plan& next, PyObject* list) {
    const std::array arguments{PyList_GetItem(list, 0), PyList_GetItem(list, 1),
                               PyList_GetItem(list, 2)};
    next.arrays = placed_;
    next.make = placed_.size() <= most_planned_arrays
                    ? Ref(PyObject_Vectorcall(python_side->plan, arguments.data(), 3, nullptr))
                    : Ref::borrowed(Py_None);
    return static_cast<bool>(next.make);
  }

  Ref planned(const Plan& plan) {
    std::array<Ref, most_planned_arrays> arrays;
    std::array<PyObject*, most_planned_arrays> arguments{};
    std::size_t count = 0;
    for (const auto& [segment, form] : plan.arrays) {
      arrays[count] = array_in(segment, form);
      if (!arrays[count]) return {};
      arguments[count] = arrays[count].get();
      ++count;
    }
    return Ref(PyObject_Vectorcall(plan.make.get(), arguments.data(), count, nullptr));
  }

  // Of [framework, kind, body], by the framework's own functions in Python. What a program
  // registered is left to Python altogether: it shall be called once.
  Ref object(PyObject* list, std::size_t described) {
    if (python_side == nullptr || PyList_Size(list) != 3) return {};
    PyObject* const name = PyList_GetItem(list, 0);
    if (!PyUnicode_CheckExact(name) || PyUnicode_CompareWithASCIIString(name, "plugin") == 0)
      return {};
    if (!budget_)
      budget_ = Ref(PyObject_CallFunction(
          python_side->budget, "KKn", static_cast<unsigned long long>(header_.total()),
          static_cast<unsigned long long>(header_.description().size()),
          static_cast<Py_ssize_t>(header_.segments())));
    if (!budget_) return {};
    if (described > large_object &&
        !Ref(PyObject_CallMethod(budget_.get(), "take", "sn", "values in values",
                                 static_cast<Py_ssize_t>(described))))
      return {};
    const std::array arguments{name, PyList_GetItem(list, 1), PyList_GetItem(list, 2),
                               budget_.get()};
    return Ref(PyObject_Vectorcall(python_side->restore, arguments.data(), 4, nullptr));
  }

  Ref tensor(Packed payload, int nested) {
    if (payload.byte() != 0x95) return {};
    const std::optional<std::uint64_t> index = payload.natural();
    const std::optional<Form> form = index ? form_of(payload) : std::nullopt;
    if (!form) return {};
    if (nested == 0) only = form;
    if (inside_object_) placed_.push_back({*index, *form});
    return array_in(*index, *form);
  }

  Ref array_in(std::uint64_t index, const Form& form) {
    if (index >= header_.segments() || used_[index]) return {};
    const Segment segment = header_.segment(index);
    if (!fits(form, segment.length)) return {};
    used_.set(index);
    return array_of(held_, segment.offset, form);
  }

  static std::optional<Form> form_of(Packed& payload) {
    Form form;
    const std::optional<std::string_view> name = payload.short_text();
    const std::optional<int> number = name ? number_of(*name) : std::nullopt;
    const std::optional<std::uint8_t> first = payload.byte();
    if (!number || !first) return std::nullopt;
    form.number = *number;
    std::optional<std::uint64_t> dimensions = *first & 0x0F;
    if (*first == 0xDC)
      dimensions = payload.big(2);
    else if ((*first & 0xF0) != 0x90)
      return std::nullopt;
    if (!dimensions || *dimensions > most_dimensions) return std::nullopt;
    form.dimensions = *dimensions;
    for (std::size_t i = 0; i < form.dimensions; ++i) {
      const std::optional<std::uint64_t> extent = payload.natural();
      if (!extent || *extent > INT64_MAX) return std::nullopt;
      form.shape[i] = static_cast<npy_intp>(*extent);
    }
    if (!turn(form, payload) || payload.short_text() != "numpy" || !payload.at_end())
      return std::nullopt;
    return form;
  }

  // The order of axes in which it lies, and the shape in that order; nil where it is the usual one.
  static bool turn(Form& form, Packed& payload) {
    const std::optional<std::uint8_t> first = payload.byte();
    if (!first || *first == 0xC0) return first.has_value();
    if (form.dimensions == 0 || form.dimensions > 15 || *first != 0x90 + form.dimensions)
      return false;
    const std::array<npy_intp, most_dimensions> shape = form.shape;
    std::bitset<most_dimensions> seen;
    for (std::size_t i = 0; i < form.dimensions; ++i) {
      const std::optional<std::uint64_t> axis = payload.natural();
      if (!axis || *axis >= form.dimensions || seen[*axis]) return false;
      seen.set(*axis);
      form.shape[i] = shape[*axis];
      form.turn[*axis] = static_cast<npy_intp>(i);
    }
    form.turned = true;
    return true;
  }

  static bool fits(const Form& form, std::uint64_t length) {
    PyArray_Descr* const descr = PyArray_DescrFromType(form.number);
    auto size = static_cast<std::uint64_t>(PyDataType_ELSIZE(descr));
    Py_DECREF(descr);
    for (const npy_intp extent : form.extents())
      if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size)) return false;
    return size == length;
  }

  PyObject* held_;
  const Header& header_;
  Packed packed_;
  std::uint64_t values_;  // that may come yet
  std::bitset<most_segments> used_;
  Ref budget_;  // made for the first object
  int extensions_ = 0;
  bool inside_object_ = false;
  std::vector<Placed> placed_;  // arrays of the object that is read
  int planned_ = 0;
};

Ref found_again(PyObject* held) {
  const Bytes bytes = bytes_of(held);
  const std::size_t size = latest.header.size();
  if (size == 0 || bytes.size() < latest.total ||
      std::memcmp(bytes.data(), latest.header.data(), size) != 0)
    return {};
  return array_of(held, latest.offset, latest.form);
}

Ref found(PyObject* held) {
  const std::optional<Header> header = Header::copied(bytes_of(held));
  if (!header) return {};
  Reader reader(held, *header);
  Ref message = reader.message();
  if (message && reader.only) {
    latest.header = header->bytes();
    latest.total = header->total();
    latest.offset = header->segment(0).offset;
    latest.form = *reader.only;
  }
  return message;
}

}  // namespace

PyObject* decode(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "decode(buffer, owner)");
    return nullptr;
  }
  if (const Ref held = hold(arguments[0], arguments[1])) {
    Ref message = found_again(held.get());
    if (!message && PyErr_Occurred() == nullptr) message = found(held.get());
    if (message) return message.release();
  }
  // What is wrong with a frame, Python finds again and says; an interrupt is none of it.
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;
  PyErr_Clear();
  Py_RETURN_NOTIMPLEMENTED;
}

bool prepare_decode() { return prepare_held(); }

}  // namespace wirecost::tensor
