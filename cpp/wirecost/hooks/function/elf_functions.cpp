// SPDX-License-Identifier: Apache-2.0
#include "elf_functions.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string_view>

namespace wirecost::function {
namespace {

#ifdef __aarch64__
constexpr Elf64_Half machine = EM_AARCH64;
#else
constexpr Elf64_Half machine = EM_X86_64;
#endif
constexpr std::size_t most_symbols = std::size_t{1} << 23;
constexpr std::size_t longest_symbol = 4096;

template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string text_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto* begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {begin, strnlen(begin, std::min<std::size_t>(bytes.size() - offset, longest_symbol))};
}

/// The first of these folders' file of that name that can be read, else nothing.
std::string readable_one(std::initializer_list<std::string> folders, const std::string& name) {
  for (const std::string& folder : folders) {
    std::string path = folder;
    path += name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

}  // namespace

ElfFile::ElfFile(const std::string& path) : path_(path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found{};
  if (file < 0 || fstat(file, &found) != 0) {
    trouble_ = std::strerror(errno);
  } else if (!S_ISREG(found.st_mode) || found.st_size < static_cast<off_t>(sizeof(Elf64_Ehdr))) {
    trouble_ = "it is no ELF file";
  } else {
    const auto size = static_cast<std::size_t>(found.st_size);
    // The kernel puts its breakpoints into private mappings, even into those that cannot be
    // executed.
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
      trouble_ = std::strerror(errno);
    else
      bytes_ = {static_cast<const std::byte*>(mapped), size};
  }
  if (file >= 0) close(file);
  if (trouble_.empty()) trouble_ = parse();
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string ElfFile::parse() {
  const auto header = *read_at<Elf64_Ehdr>(bytes_, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is no ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machine)
    return "it is for another processor";
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        read_at<Elf64_Phdr>(bytes_, header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
    if (!segment) return "its program headers are damaged";
    if (segment->p_type == PT_LOAD)
      segments_.push_back({segment->p_vaddr, segment->p_offset, segment->p_filesz});
  }
  std::vector<Elf64_Shdr> headers;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section =
        read_at<Elf64_Shdr>(bytes_, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section) return "its section headers are damaged";
    headers.push_back(*section);
  }
  std::span<const std::byte> names;
  if (header.e_shstrndx < headers.size())
    names = part(headers[header.e_shstrndx].sh_offset, headers[header.e_shstrndx].sh_size);
  for (const Elf64_Shdr& section : headers)
    sections_.push_back({text_at(names, section.sh_name), section.sh_type, section.sh_offset,
                         section.sh_size, section.sh_link, section.sh_entsize});
  return {};
}

std::span<const std::byte> ElfFile::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
  return bytes_.subspan(offset, size);
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
  for (const Segment& segment : segments_)
    if (address >= segment.address && address - segment.address < segment.size)
      return segment.offset + (address - segment.address);
  return std::nullopt;
}

std::span<const std::byte> ElfFile::bytes_at(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& segment : segments_) {
    if (address < segment.address || address - segment.address >= segment.size) continue;
    const std::uint64_t from = address - segment.address;
    return part(segment.offset + from, std::min(size, segment.size - from));
  }
  return {};
}

template <class Visit>
void ElfFile::each_symbol(Visit visit) const {
  std::size_t seen = 0;
  for (const Section& section : sections_) {
    if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) continue;
    if (section.entry != sizeof(Elf64_Sym) || section.link >= sections_.size()) continue;
    const auto table = part(section.offset, section.size);
    const auto names = part(sections_[section.link].offset, sections_[section.link].size);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      if (++seen > most_symbols) return;
      visit(*read_at<Elf64_Sym>(table, at), names);
    }
  }
}

std::vector<FunctionSymbol> ElfFile::functions() const {
  std::map<std::uint64_t, FunctionSymbol> by_address;
  const auto collect = [&by_address](const Elf64_Sym& symbol, std::span<const std::byte> names) {
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) return;
    FunctionSymbol found{.symbol = text_at(names, symbol.st_name),
                         .address = symbol.st_value,
                         .size = symbol.st_size,
                         .indirect = type == STT_GNU_IFUNC};
    if (found.symbol.empty()) return;
    const auto [known, added] = by_address.try_emplace(found.address, found);
    // Constructors have two or three names for one code; the longest lived is as good as another.
    if (!added && known->second.size == 0) known->second.size = found.size;
  };
  each_symbol(collect);
  const std::string debug = debug_file();
  if (!debug.empty() && debug != path_) {
    const ElfFile more(debug);
    if (more.trouble().empty() && more.build_id() == build_id()) more.each_symbol(collect);
  }
  std::vector<FunctionSymbol> all;
  all.reserve(by_address.size());
  for (auto& [address, found] : by_address) all.push_back(std::move(found));
  return all;
}

bool ElfFile::mentions(const std::string& symbol) const {
  bool found = false;
  each_symbol([&](const Elf64_Sym& one, std::span<const std::byte> names) {
    found = found || text_at(names, one.st_name) == symbol;
  });
  return found;
}

bool ElfFile::has_section(const std::string& name) const {
  return std::ranges::any_of(sections_, [&](const Section& one) { return one.name == name; });
}

std::string ElfFile::build_id() const {
  for (const Section& section : sections_) {
    if (section.name != ".note.gnu.build-id") continue;
    const auto note = part(section.offset, section.size);
    const auto header = read_at<Elf64_Nhdr>(note, 0);
    if (!header || header->n_namesz != 4 || header->n_descsz > 64) return {};
    std::string text;
    for (std::uint32_t i = 0; i < header->n_descsz; ++i) {
      const auto byte = read_at<std::uint8_t>(note, sizeof(Elf64_Nhdr) + 4 + i);
      if (!byte) return {};
      constexpr std::string_view digits = "0123456789abcdef";
      text += digits[*byte >> 4];
      text += digits[*byte & 15];
    }
    return text;
  }
  return {};
}

std::string ElfFile::debug_file() const {
  const std::string id = build_id();
  if (id.size() > 2) {
    std::string path =
        "/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  for (const Section& section : sections_) {
    if (section.name != ".gnu_debuglink") continue;
    const std::string name = text_at(part(section.offset, section.size), 0);
    if (name.empty() || name.find('/') != std::string::npos) return {};
    const std::string folder = path_.substr(0, path_.rfind('/') + 1);
    std::string hidden = folder;
    hidden += ".debug/";
    std::string installed = "/usr/lib/debug";
    installed += folder;
    return readable_one({folder, hidden, installed}, name);
  }
  return {};
}

}  // namespace wirecost::function
