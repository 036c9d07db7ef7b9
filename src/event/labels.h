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

// A small stable id for a text (op and kernel names): the same text gives the same id. Never dropped.
std::uint64_t NameId(const std::string& text);

}  // namespace softhccl::event
