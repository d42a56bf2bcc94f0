// SPDX-License-Identifier: Apache-2.0
// The calling thread's functions of Python, as the interpreter prints them for faulthandler:
// without its lock, and without allocating.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace wirecost::probe {

class PythonLines {
 public:
  /// The innermost functions, each a line; empty outside Python.
  struct Text {
    std::array<char, 768> characters;
    std::size_t size;
    std::string_view view() const { return {characters.data(), size}; }
  };

  PythonLines();
  ~PythonLines();
  PythonLines(const PythonLines&) = delete;
  PythonLines& operator=(const PythonLines&) = delete;

  void read(Text& text) const;

 private:
  using OfThread = void* (*)();
  using Dump = void (*)(int, void*);
  OfThread of_thread_ = nullptr;
  Dump dump_ = nullptr;
  int file_ = -1;
};

}  // namespace wirecost::probe
