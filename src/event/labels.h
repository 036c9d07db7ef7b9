// Object id -> label: filled by the layers that know what an object is for, read by those that must name it.
#pragma once

#include <cstdint>
#include <string>

namespace softhccl::event {

enum class LabelKind : std::uint8_t { kStream, kNotify, kName };

// Any thread. Setting again replaces. An id without label reads as "stream 7", "notify 3", "#5".
void SetLabel(LabelKind kind, std::uint64_t id, std::string label);
void DropLabel(LabelKind kind, std::uint64_t id);
std::string GetLabel(LabelKind kind, std::uint64_t id);

// A small stable id for a text (op and kernel names): the same text gives the same id. Never dropped, so only for
// texts of which there are few.
std::uint64_t NameId(const std::string& text);
// The same for its characters: a pointer that stays valid for the life of the process.
const char* KeepText(const std::string& text);

// An id for a text of which there are many (one per operation). The last kRecentNames of them can be read with
// GetLabel(kName, id); an older one reads as "an earlier operation".
inline constexpr std::uint64_t kRecentNames = 16384;
std::uint64_t RecentNameId(const std::string& text);

}  // namespace softhccl::event
