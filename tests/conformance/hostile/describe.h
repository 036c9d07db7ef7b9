// Derives the description of a function from its C++ type, so that the generated table holds names only.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "function.h"

namespace softhccl::hostile {

template <typename T, typename = void>
struct IsComplete : std::false_type {};
template <typename T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

// The argument of type `P` whose bits are `word`.
template <typename P>
P FromWord(Word word) {
  using T = std::remove_cv_t<P>;
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(word);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(word);
  } else {
    T value;
    if constexpr (std::is_class_v<T> || std::is_union_v<T>) {
      std::memset(static_cast<void*>(&value), static_cast<int>(word & 0xFFu), sizeof value);
    } else {
      static_assert(sizeof value <= sizeof word);
      std::memcpy(&value, &word, sizeof value);
    }
    return value;
  }
}

template <typename P>
Parameter DescribeParameter(const char* name, const char* type) {
  using T = std::remove_cv_t<P>;
  const std::string spelled = type;
  const bool ends_as_handle = spelled.size() > 6 && spelled.compare(spelled.size() - 6, 6, "Handle") == 0;
  Parameter parameter{name, spelled, Kind::kInteger, sizeof(T), false};
  if constexpr (std::is_enum_v<T>) {
    parameter.kind = Kind::kEnumeration;
  } else if constexpr (std::is_floating_point_v<T>) {
    parameter.kind = Kind::kFloating;
  } else if constexpr (std::is_integral_v<T>) {
    parameter.kind = ends_as_handle ? Kind::kHandle : Kind::kInteger;
  } else if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_function_v<Pointee>) {
      parameter.kind = Kind::kCallback;
    } else if constexpr (std::is_same_v<Pointee, char>) {
      parameter.kind = Kind::kText;
    } else if constexpr (std::is_void_v<Pointee>) {
      parameter.kind = spelled.find('*') == std::string::npos ? Kind::kHandle : Kind::kPointer;
    } else {
      const bool is_opaque = ends_as_handle && spelled.find('*') == std::string::npos;  // uint64_t*, say
      parameter.kind = IsComplete<Pointee>::value && !is_opaque ? Kind::kPointer : Kind::kHandle;
      parameter.points_to_data = parameter.kind == Kind::kPointer;
    }
  } else {
    parameter.kind = Kind::kStructure;
  }
  return parameter;
}

template <typename R>
Result ToResult(const R& value) {
  if constexpr (std::is_enum_v<R> || std::is_integral_v<R>) {
    return {true, static_cast<std::int64_t>(value)};
  } else {
    return {};
  }
}

template <typename Signature>
struct Caller;

template <typename R, typename... P>
struct Caller<R (*)(P...)> {
  static Result Call(void (*address)(), const Word* words) {
    return Spread(address, words, std::index_sequence_for<P...>());
  }
  template <std::size_t... I>
  static Result Spread(void (*address)(), [[maybe_unused]] const Word* words, std::index_sequence<I...>) {
    const auto function = reinterpret_cast<R (*)(P...)>(address);
    if constexpr (std::is_void_v<R>) {
      function(FromWord<P>(words[I])...);
      return {};
    } else {
      return ToResult(function(FromWord<P>(words[I])...));
    }
  }
  template <std::size_t... I>
  static std::vector<Parameter> Parameters(
      [[maybe_unused]] const std::vector<std::pair<const char*, const char*>>& names, std::index_sequence<I...>) {
    return {DescribeParameter<P>(names.at(I).first, names.at(I).second)...};
  }
  static std::vector<Parameter> Parameters(const std::vector<std::pair<const char*, const char*>>& names) {
    return Parameters(names, std::index_sequence_for<P...>());
  }
};

// A variadic function is called without arguments for its dots.
template <typename R, typename... P>
struct Caller<R (*)(P..., ...)> : Caller<R (*)(P...)> {
  static Result Call(void (*address)(), const Word* words) {
    return Spread(address, words, std::index_sequence_for<P...>());
  }
  template <std::size_t... I>
  static Result Spread(void (*address)(), const Word* words, std::index_sequence<I...>) {
    const auto function = reinterpret_cast<R (*)(P..., ...)>(address);
    if constexpr (std::is_void_v<R>) {
      function(FromWord<P>(words[I])...);
      return {};
    } else {
      return ToResult(function(FromWord<P>(words[I])...));
    }
  }
};

template <typename Signature>
Function Describe(const char* name, Signature* function, const std::string& returns,
                  const std::vector<std::pair<const char*, const char*>>& parameters) {
  const bool data_plane = returns == "int32_t" && std::strncmp(name, "Hcomm", 5) == 0;
  const bool explains = data_plane || returns == "aclError" || returns == "HcclResult" || returns == "CcuResult" ||
                        returns == "HcommResult" || returns == "rtError_t";
  return {
      name,     reinterpret_cast<void (*)()>(function),    &Caller<Signature*>::Call, explains || returns == "errno_t",
      explains, Caller<Signature*>::Parameters(parameters)};
}

}  // namespace softhccl::hostile
