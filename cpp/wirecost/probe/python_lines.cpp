// SPDX-License-Identifier: Apache-2.0
#include "python_lines.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace wirecost::probe {

PythonLines::PythonLines() {
  of_thread_ = reinterpret_cast<OfThread>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  dump_ = reinterpret_cast<Dump>(dlsym(RTLD_DEFAULT, "_Py_DumpTraceback"));
  if (of_thread_ != nullptr && dump_ != nullptr)
    file_ = memfd_create("wirecost-python-lines", MFD_CLOEXEC);
}

PythonLines::~PythonLines() {
  if (file_ >= 0) close(file_);
}

void PythonLines::read(Text& text) const {
  text.size = 0;
  if (file_ < 0) return;
  void* const thread = of_thread_();
  if (thread == nullptr || lseek(file_, 0, SEEK_SET) != 0) return;
  dump_(file_, thread);
  const off_t end = lseek(file_, 0, SEEK_CUR);
  const ssize_t size = pread(file_, text.characters.data(), text.characters.size(), 0);
  if (end <= 0 || size <= 0) return;
  // What an earlier, longer one left behind is no part of it.
  std::string_view lines(text.characters.data(), static_cast<std::size_t>(size < end ? size : end));
  // A line that does not fit is left out.
  text.size = lines.rfind('\n') == lines.npos ? 0 : lines.rfind('\n');
}

}  // namespace wirecost::probe
