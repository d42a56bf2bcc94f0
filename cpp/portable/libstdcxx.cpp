// SPDX-License-Identifier: Apache-2.0
// Functions that libstdc++ has since GCC 9, by those that GCC 8's has. C++17, whose names these
// are.
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

}  // namespace stand_in
