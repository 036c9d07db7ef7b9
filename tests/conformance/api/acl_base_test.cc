// Element sizes, half precision, data buffers, attributes, and a program's own log lines.
#include <cmath>
#include <limits>

#include "fixture.h"

namespace softhccl::conformance {
namespace {

TEST(aclDataTypeSizeTest, EveryWholeByteType_HasItsSize) {
  const std::pair<aclDataType, size_t> sizes[] = {
      {ACL_FLOAT, 4},        {ACL_FLOAT16, 2},  {ACL_INT8, 1},        {ACL_INT32, 4},         {ACL_UINT8, 1},
      {ACL_INT16, 2},        {ACL_UINT16, 2},   {ACL_UINT32, 4},      {ACL_INT64, 8},         {ACL_UINT64, 8},
      {ACL_DOUBLE, 8},       {ACL_BOOL, 1},     {ACL_COMPLEX64, 8},   {ACL_COMPLEX128, 16},   {ACL_BF16, 2},
      {ACL_COMPLEX32, 4},    {ACL_HIFLOAT8, 1}, {ACL_FLOAT8_E5M2, 1}, {ACL_FLOAT8_E4M3FN, 1}, {ACL_FLOAT8_E8M0, 1},
      {ACL_DT_UNDEFINED, 0}, {ACL_STRING, 0},   {ACL_INT4, 0},        {ACL_FLOAT4_E2M1, 0}};
  for (const auto& [type, size] : sizes) EXPECT_EQ(aclDataTypeSize(type), size) << type;
  EXPECT_EQ(aclDataTypeSize(FromNumber<aclDataType>(4711)), 0u);
}

// binary16 by its definition, apart from the compiler's type.
double ValueOf(aclFloat16 bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(aclFloat16ToFloatTest, EveryHalf_HasItsValueAndComesBack) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<aclFloat16>(bits);
    const double expected = ValueOf(half);
    const float value = aclFloat16ToFloat(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(aclFloat16ToFloat(aclFloatToFloat16(value)))) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(aclFloatToFloat16(value), half) << bits;
    }
  }
}

TEST(aclFloatToFloat16Test, BetweenTwoHalves_RoundsToNearestEven) {
  EXPECT_EQ(aclFloatToFloat16(1.0f + 1.0f / 2048), 0x3C00) << "half way, even is below";
  EXPECT_EQ(aclFloatToFloat16(1.0f + 3.0f / 2048), 0x3C02) << "half way, even is above";
  EXPECT_EQ(aclFloatToFloat16(1.0f + 1.1f / 2048), 0x3C01);
  EXPECT_EQ(aclFloatToFloat16(65519.0f), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(65520.0f), 0x7C00) << "infinity";
  EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_EQ(aclFloatToFloat16(1e-9f), 0);
}

class aclCreateDataBufferTest : public ApiTest {};

TEST_F(aclCreateDataBufferTest, AddressAndSize_AreKeptAndReplaced) {
  int data[2] = {};
  aclDataBuffer* buffer = aclCreateDataBuffer(data, 5'000'000'000);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), data);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 5'000'000'000u);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 705032704u) << "the older function has 32 bits";
  EXPECT_EQ(aclUpdateDataBuffer(buffer, data + 1, 4), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), data + 1);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 4u);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclDestroyDataBuffer, (buffer), "is a data buffer that was destroyed");
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclUpdateDataBuffer, (buffer, data, 4), "was destroyed");
  ExpectLog({"aclGetDataBufferAddr: dataBuffer", "was destroyed"});
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  static_cast<void>(aclGetRecentErrMsg());
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclDestroyDataBuffer, (nullptr), "dataBuffer is null");
}

class aclGetCannAttributeTest : public ApiTest {};

TEST_F(aclGetCannAttributeTest, ListedAttributes_AreTrue) {
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  EXPECT_EQ(aclGetCannAttributeList(&list, &count), ACL_SUCCESS);
  ASSERT_EQ(count, 2u);
  for (size_t i = 0; i < count; ++i) {
    int32_t value = 0;
    EXPECT_EQ(aclGetCannAttribute(list[i], &value), ACL_SUCCESS);
    EXPECT_EQ(value, 1);
  }
  int32_t value = 9;
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute, (ACL_CANN_ATTR_UNDEFINED, &value), "cannAttr -1");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute, (ACL_CANN_ATTR_BF16, nullptr), "value is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList, (&list, nullptr), "num is null");
}

class aclAppLogTest : public ApiTest {};

TEST_F(aclAppLogTest, ErrorLine_CarriesPlaceAndText) {
  ExpectLog({"main.cc:12 Run: 3 of 4 failed"});
  aclAppLog(ACL_ERROR, "Run", "main.cc", 12, "%d of %d failed", 3, 4);
  ExpectLog({"?:1 ?: bare"});
  aclAppLog(FromNumber<aclLogLevel>(99), nullptr, nullptr, 1, "bare");
  aclAppLog(ACL_DEBUG, "Run", "main.cc", 12, "not shown");
}

}  // namespace
}  // namespace softhccl::conformance
