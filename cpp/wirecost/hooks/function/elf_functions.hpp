// SPDX-License-Identifier: Apache-2.0
// The functions that an ELF file has by its symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wirecost::function {

struct FunctionSymbol {
  std::string symbol;  ///< as the linker knows it
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0: the file does not tell
  bool indirect = false;   ///< chosen among several when the program starts (IFUNC)
};

/// A 64-bit little-endian ELF file, mapped. It may be anybody's: each number in it is checked.
class ElfFile {
 public:
  /// Where the file cannot be used, `trouble()` is the reason.
  explicit ElfFile(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  const std::string& trouble() const { return trouble_; }
  const std::string& path() const { return path_; }

  /// The functions of .symtab, .dynsym and, where one is installed and has the same build-id, of
  /// the debug file; each address once, sorted. Sizes that symbols lack come from .eh_frame.
  std::vector<FunctionSymbol> functions() const;

  /// The file's bytes for `size` bytes of memory at `address`; empty where it has fewer.
  std::span<const std::byte> bytes_at(std::uint64_t address, std::uint64_t size) const;

  /// Where in the file the byte at `address` lies.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;

  /// Undefined or defined symbols with this name, in .dynsym or .symtab.
  bool mentions(const std::string& symbol) const;

  bool has_section(const std::string& name) const;
  /// Lower-case hexadecimal; empty where there is none.
  std::string build_id() const;

 private:
  struct Section {
    std::string name;
    std::uint32_t type;
    std::uint64_t offset, size, link, entry;
  };
  struct Segment {
    std::uint64_t address, offset, size;
  };

  std::string parse();
  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const;
  template <class Visit>
  void each_symbol(Visit visit) const;
  std::string debug_file() const;

  std::string path_, trouble_;
  std::span<const std::byte> bytes_;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

}  // namespace wirecost::function
