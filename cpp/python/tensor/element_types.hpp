// SPDX-License-Identifier: Apache-2.0
// Element types that are handled here: numbers and booleans in the computer's own byte order.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "python.hpp"

namespace wirecost::tensor {

struct ElementType {
  std::string_view name;  // on the wire
  int number;             // NumPy's
};

constexpr std::array element_types{
    ElementType{"<f8", NPY_FLOAT64}, ElementType{"<f4", NPY_FLOAT32},
    ElementType{"|u1", NPY_UINT8},   ElementType{"<i8", NPY_INT64},
    ElementType{"<i4", NPY_INT32},   ElementType{"<u2", NPY_UINT16},
    ElementType{"<i2", NPY_INT16},   ElementType{"<f2", NPY_FLOAT16},
    ElementType{"|b1", NPY_BOOL},    ElementType{"<u4", NPY_UINT32},
    ElementType{"<u8", NPY_UINT64},  ElementType{"|i1", NPY_INT8},
};

inline std::optional<int> number_of(std::string_view name) {
  for (const ElementType& type : element_types)
    if (type.name == name) return type.number;
  return std::nullopt;
}

// Of an array's type as NumPy itself makes it; nothing for others, as with metadata.
inline std::string_view name_of(PyArray_Descr* descr) {
  for (const ElementType& type : element_types) {
    if (descr->type_num != type.number) continue;
    PyArray_Descr* const own = PyArray_DescrFromType(type.number);
    Py_DECREF(own);  // NumPy keeps it
    return own == descr ? type.name : std::string_view{};
  }
  return {};
}

}  // namespace wirecost::tensor
