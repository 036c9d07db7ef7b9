#include "values.h"

#include <algorithm>
#include <cstring>

namespace softhccl::hostile {
namespace {

constexpr Word kPattern = 0xABABABABABABABABu;  // what allocators of debug builds fill fresh memory with
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kUnalignedIsTrapped = true;  // that build has UBSan, which ends the process at the caller's own mistake
#else
constexpr bool kUnalignedIsTrapped = false;
#endif

// Below, a lambda's unused parameters stay unnamed.
using S = Scene&;
using P = const Parameter&;
using Maybe = std::optional<Word>;

template <Word kWord>
Maybe Constant(S, P, std::size_t) {
  return kWord;
}

template <int kByte>
Maybe Filled(S scene, P parameter, std::size_t index) {
  if (!parameter.points_to_data) return std::nullopt;
  return scene.Memory(index, kByte);
}

template <const char* kType>
Maybe OfType(S scene, P parameter, std::size_t) {
  const Word valid = scene.Valid(kType, 0);
  if (valid == scene.Valid(parameter.type, 0)) return std::nullopt;
  return valid;
}

template <Word kWord>
Maybe NoEnumerator(S, P parameter, std::size_t) {
  const auto found = EnumeratorsOf().find(parameter.type);
  if (found == EnumeratorsOf().end()) return kWord;
  const auto is_value = [](long long value) { return static_cast<std::uint32_t>(value) == kWord; };
  if (std::any_of(found->second.begin(), found->second.end(), is_value)) return std::nullopt;
  return kWord;
}

Maybe AfterLastEnumerator(S, P parameter, std::size_t) {
  const auto found = EnumeratorsOf().find(parameter.type);
  if (found == EnumeratorsOf().end()) return std::nullopt;
  return static_cast<Word>(*std::max_element(found->second.begin(), found->second.end())) + 1;
}

template <int kOnlyBytes, Word kWord>
Maybe OfWidth(S, P parameter, std::size_t) {
  if (parameter.bytes != kOnlyBytes) return std::nullopt;
  return kWord;
}

Maybe TextOf(S scene, std::size_t index, const char* text) {
  const Word word = scene.Memory(index, 0);
  std::strcpy(reinterpret_cast<char*>(word), text);
  return word;
}

constexpr char kStream[] = "aclrtStream", kEvent[] = "aclrtEvent", kContext[] = "aclrtContext", kComm[] = "HcclComm",
               kThread[] = "ThreadHandle", kChannel[] = "ChannelHandle", kFunctionHandle[] = "aclrtFuncHandle";

const std::vector<Value> kHandles = {
    {"null", true, Constant<0>},
    {"one", true, Constant<1>},
    {"unaligned", true, Constant<0x10001>},
    {"pattern 0xAB", true, Constant<kPattern>},
    {"all ones", true, Constant<~Word{0}>},
    {"address of the stack", true,
     [](S, P, std::size_t) -> Maybe { return reinterpret_cast<Word>(__builtin_frame_address(0)); }},
    {"address of host memory", true, [](S scene, P, std::size_t index) -> Maybe { return scene.Memory(index, 0); }},
    {"destroyed", true, [](S scene, P parameter, std::size_t) -> Maybe { return scene.Stale(parameter.type); }},
    {"a stream", true, OfType<kStream>},
    {"an event", true, OfType<kEvent>},
    {"a context", true, OfType<kContext>},
    {"a communicator", true, OfType<kComm>},
    {"a thread", true, OfType<kThread>},
    {"a channel", true, OfType<kChannel>},
    {"a function", true, OfType<kFunctionHandle>},
};

const std::vector<Value> kEnumerations = {
    {"-1", true, NoEnumerator<0xFFFFFFFF>},        {"INT_MIN", true, NoEnumerator<0x80000000>},
    {"INT_MAX", true, NoEnumerator<0x7FFFFFFF>},   {"pattern 0xAB", true, NoEnumerator<0xABABABAB>},
    {"after the last", true, AfterLastEnumerator},
};

const std::vector<Value> kIntegers = {
    {"0", false, Constant<0>},
    {"all ones", false, Constant<~Word{0}>},
    {"all ones but one", false, Constant<~Word{1}>},
    {"pattern 0xAB", false, Constant<kPattern>},
    {"INT32_MAX", false, Constant<0x7FFFFFFF>},
    {"INT32_MIN", false, OfWidth<4, 0x80000000>},
    {"2^63", false, OfWidth<8, Word{1} << 63>},
    {"2^63-1", false, OfWidth<8, (Word{1} << 63) - 1>},
    {"2^62+1", true, OfWidth<8, (Word{1} << 62) + 1>},   // times four it is 4: no size, count or offset
    {"2^61+1", false, OfWidth<8, (Word{1} << 61) + 1>},  // times eight it is 8
    {"2^40", false, OfWidth<8, Word{1} << 40>},
    {"2^32", false, OfWidth<8, Word{1} << 32>},
};

const std::vector<Value> kFloats = {
    {"not a number", false, Constant<0x7FC00000>},
    {"infinity", false, Constant<0x7F800000>},
    {"-1", false, Constant<0xBF800000>},
    {"largest", false, Constant<0x7F7FFFFF>},
    {"smallest", false, Constant<1>},
};

const std::vector<Value> kTexts = {
    {"null", true, Constant<0>},
    {"empty", false, [](S scene, P, std::size_t index) -> Maybe { return scene.Memory(index, 0); }},
    {"8191 characters", false, [](S scene, P, std::size_t index) -> Maybe { return scene.Memory(index, 'x'); }},
    {"no text", false, [](S scene, P, std::size_t index) -> Maybe { return scene.Memory(index, 0xAB); }},
    {"a format", false, [](S scene, P, std::size_t index) { return TextOf(scene, index, "{} {0} {x"); }},
    {"a path", false, [](S scene, P, std::size_t index) { return TextOf(scene, index, "/proc/self/nothing"); }},
    {"a folder", false, [](S scene, P, std::size_t index) { return TextOf(scene, index, "/"); }},
};

const std::vector<Value> kPointers = {
    {"null", true, Constant<0>},
    {"unaligned", false,
     [](S scene, P parameter, std::size_t index) -> Maybe {
       if (kUnalignedIsTrapped && parameter.points_to_data) return std::nullopt;
       return scene.Memory(index, 0) + 1;
     }},
    {"contents 0xAB", false, Filled<0xAB>},
    {"contents all ones", false, Filled<0xFF>},
    {"freed", false,
     [](S scene, P parameter, std::size_t) -> Maybe {
       if (parameter.points_to_data) return std::nullopt;
       return scene.freed_device_memory();
     }},
};

const std::vector<Value> kCallbacks = {{"null", true, Constant<0>}};

const std::vector<Value> kStructures = {
    {"zeros", false, Constant<0>}, {"pattern 0xAB", false, Constant<0xAB>}, {"all ones", false, Constant<0xFF>}};

}  // namespace

const std::vector<Value>& HostileValues(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::kHandle: return kHandles;
    case Kind::kEnumeration: return kEnumerations;
    case Kind::kInteger: return kIntegers;
    case Kind::kFloating: return kFloats;
    case Kind::kText: return kTexts;
    case Kind::kPointer: return kPointers;
    case Kind::kCallback: return kCallbacks;
    case Kind::kStructure: break;
  }
  return kStructures;
}

}  // namespace softhccl::hostile
