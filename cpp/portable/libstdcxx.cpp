// SPDX-License-Identifier: Apache-2.0
// Functions that libstdc++ has since GCC 9, by those that GCC 8's and glibc have. C++17, whose
// names these are.
#include <dlfcn.h>
#include <locale.h>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <string>

#include "visibility.h"

namespace stand_in {

using Stream = std::stringstream;
using Buffer = std::stringbuf;
using Pointer = std::exception_ptr;

// Copying counts one more, destroying one less; libstdc++ exported both before what they call.
void copy(void* self,
          const Pointer& other) __asm__("_ZNSt15__exception_ptr13exception_ptrC1ERKS0_");
void destroy(void* self) __asm__("_ZNSt15__exception_ptr13exception_ptrD1Ev");
// With a mode, as it always was there.
void open(void* self, std::ios_base::openmode mode) __asm__(
    "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1ESt13_Ios_Openmode");

[[noreturn]] void throw_bad_array_new_length() STANDS_IN_FOR("_ZSt28__throw_bad_array_new_lengthv");
void add_reference(Pointer* self)
    STANDS_IN_FOR("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void release(void** self) STANDS_IN_FOR("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void open_stream(void* self)
    STANDS_IN_FOR("_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1Ev");
std::from_chars_result real(const char* begin, const char* end, double& value,
                            std::chars_format format)
    STANDS_IN_FOR("_ZSt10from_charsPKcS0_RdSt12chars_format");
std::string text(const Buffer* self)
    STANDS_IN_FOR("_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv");

void throw_bad_array_new_length() { throw std::bad_array_new_length(); }

void add_reference(Pointer* self) {
  alignas(Pointer) unsigned char counted[sizeof(Pointer)];
  copy(counted, *self);
}

void release(void** self) {
  destroy(static_cast<void*>(self));
  *self = nullptr;
}

void open_stream(void* self) { open(self, std::ios_base::in | std::ios_base::out); }

std::string text(const Buffer* self) { return self->str(); }

// Of decimal digits in the general format, which is all that is asked for here.
static std::from_chars_result by_strtod(const char* begin, const char* end, double& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const char* stop = begin;
  while (stop != end && ((*stop >= '0' && *stop <= '9') || *stop == '-' || *stop == '.' ||
                         *stop == 'e' || *stop == 'E' || (*stop == '+' && stop != begin)))
    ++stop;
  const std::string digits(begin, stop);  // ends with a zero
  const int before = errno;
  errno = 0;
  char* read = nullptr;
  const double number = strtod_l(digits.c_str(), &read, plain);
  const int error = errno;
  errno = before;
  if (read == digits.c_str()) return {begin, std::errc::invalid_argument};
  const char* const next = begin + (read - digits.c_str());
  if (error == ERANGE && (std::isinf(number) || number == 0.0))
    return {next, std::errc::result_out_of_range};
  value = number;
  return {next, std::errc{}};
}

std::from_chars_result real(const char* begin, const char* end, double& value,
                            std::chars_format format) {
  // GCC 11's, where it is there, is several times as fast.
  static const auto newer = reinterpret_cast<decltype(&real)>(
      dlsym(RTLD_NEXT, "_ZSt10from_charsPKcS0_RdSt12chars_format"));
  return newer != nullptr ? newer(begin, end, value, format) : by_strtod(begin, end, value);
}

}  // namespace stand_in
