// What the vendor's textual settings may look like. The same text may come from an environment variable or from a field
// of the communicator's configuration, so the grammar is here, apart from both. Every function is total: any text is
// answered, nothing is changed.
#pragma once

#include <string_view>

namespace softhccl::base {

// An IPv4 or IPv6 address, nothing around it.
bool IsIpAddress(std::string_view text);
// The same, with "%interface" behind it allowed.
bool IsScopedAddress(std::string_view text);
// "p1,p2", "^p1,p2", "=n1,n2" or "^=n1,n2"; no name is empty.
bool IsInterfaceList(std::string_view text);
// "AF_INET" or "AF_INET6".
bool IsSocketFamily(std::string_view text);
// "auto", or ports and ranges "a-b" from 1 to 65535 separated by commas, none twice.
bool IsPortRanges(std::string_view text);
// false, true or strict, in any case.
bool IsDeterminism(std::string_view text);
// true or false, in any case.
bool IsTrueOrFalse(std::string_view text);
// One of the words of any product.
bool IsExpansionMode(std::string_view text);
// "level0:NA;level1:ring", or "allreduce=level0:NA;level1:ring/others=level1:NHR".
bool IsAlgorithm(std::string_view text);
// "L0:0,L1:1,L2:0": any of the levels, each once.
bool IsRetrySwitches(std::string_view text);
// "MaxCnt:3,HoldTime:5000,IntervalTime:1000": any of them, each once and in its range.
bool IsRetryParameters(std::string_view text);
// "key:value,..." of the fault detection.
bool IsFaultDetection(std::string_view text);
// A subset of ALG,TASK,RESOURCE in one case, perhaps inverted by a leading "^".
bool IsDebugModules(std::string_view text);
// A subset of TASK,DATA_OP, likewise.
bool IsDataDebugModules(std::string_view text);
// Shorter than 128 characters.
bool IsShortName(std::string_view text);
// Shorter than a path may be.
bool IsPath(std::string_view text);
// Decimal digits, at most ten, a value from `low` to `high`.
bool IsNumber(std::string_view text, unsigned long long low, unsigned long long high);
// A traffic class: 0 to 255, a multiple of 4.
bool IsTrafficClass(std::string_view text);

}  // namespace softhccl::base
