// The four forms of a batch of copies.
#include "fixture.h"

namespace softhccl::conformance {
namespace {

// Copies of one int each from `from` to `to`, the last one of two ints.
struct Batch {
  Batch(const DeviceInts& from, const DeviceInts& to) {
    for (std::size_t i = 0; i < 3; ++i) {
      sources[i] = from.data() + i;
      targets[i] = to.data() + 2 * i;
    }
    for (aclrtMemcpyBatchAttr& one : attributes) one.dstLoc.type = one.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  }
  void* targets[3];
  size_t room[3] = {4, 4, 8};
  void* sources[3];
  size_t sizes[3] = {4, 4, 8};
  aclrtMemcpyBatchAttr attributes[2] = {};
  size_t indexes[2] = {0, 2};
};

class BatchTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    from_ = std::make_unique<DeviceInts>(std::vector<int>{1, 2, 3, 4});
    to_ = std::make_unique<DeviceInts>(std::vector<int>(6, 0));
    batch_ = std::make_unique<Batch>(*from_, *to_);
  }
  void TearDown() override {
    from_.reset();
    to_.reset();
    DeviceTest::TearDown();
  }
  void ExpectCopied() { EXPECT_THAT(to_->Read(), ::testing::ElementsAre(1, 0, 2, 0, 3, 4)); }
  std::unique_ptr<DeviceInts> from_;
  std::unique_ptr<DeviceInts> to_;
  std::unique_ptr<Batch> batch_;
  size_t fail_ = 99;
};

#define BATCH(b) (b)->targets, (b)->room, (b)->sources, (b)->sizes, 3, (b)->attributes, (b)->indexes, 2

class aclrtMemcpyBatchTest : public BatchTest {};

TEST_F(aclrtMemcpyBatchTest, All_AreCopied) {
  EXPECT_EQ(aclrtMemcpyBatch(BATCH(batch_), &fail_), ACL_SUCCESS);
  ExpectCopied();
}

TEST_F(aclrtMemcpyBatchTest, OneIsWrong_NoneIsCopiedAndItsNumberIsTold) {
  batch_->sizes[2] = 9;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch, (BATCH(batch_), &fail_),
               "count 9 is larger than destMax 8", "copy 2 of 3");
  EXPECT_EQ(fail_, 2u);
  EXPECT_THAT(to_->Read(), ::testing::Each(0));
  batch_->sizes[2] = 0;
  batch_->targets[1] = nullptr;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch, (BATCH(batch_), &fail_), "dst is null", "copy 1 of 3");
  EXPECT_EQ(fail_, 1u);
  batch_->sizes[1] = 0;
  EXPECT_EQ(aclrtMemcpyBatch(BATCH(batch_), &fail_), ACL_SUCCESS) << "nothing to copy there";
}

TEST_F(aclrtMemcpyBatchTest, BadArguments_AreRefused) {
  Batch& b = *batch_;
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch, (BATCH(batch_), nullptr), "failIndex is null");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch,
               (nullptr, b.room, b.sources, b.sizes, 3, b.attributes, b.indexes, 2, &fail_), "dsts is null");
  EXPECT_EQ(fail_, SIZE_MAX);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch,
               (b.targets, b.room, b.sources, b.sizes, 0, b.attributes, b.indexes, 2, &fail_), "numBatches 0");
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch,
               (b.targets, b.room, b.sources, b.sizes, 3, b.attributes, b.indexes, 4, &fail_),
               "numAttrs 4 is not valid; use 1 to numBatches 3");
  EXPECT_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpyBatch,
               (b.targets, b.room, b.sources, b.sizes, 3, nullptr, b.indexes, 2, &fail_), "attrs is null");
  b.indexes[0] = 1;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch, (BATCH(batch_), &fail_), "attrsIndexes[0] 1 is not valid");
  b.indexes[0] = 0;
  b.indexes[1] = 3;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch, (BATCH(batch_), &fail_), "attrsIndexes[1] 3 is not valid");
  b.indexes[1] = 2;
  b.attributes[1].srcLoc.type = FromNumber<aclrtMemLocationType>(5);
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatch, (BATCH(batch_), &fail_), "attrs[1]: location type 5");
  EXPECT_EQ(fail_, SIZE_MAX);
}

class aclrtMemcpyBatchV2Test : public BatchTest {};

TEST_F(aclrtMemcpyBatchV2Test, GoodAndBad) {
  EXPECT_EQ(aclrtMemcpyBatchV2(BATCH(batch_)), ACL_SUCCESS);
  ExpectCopied();
  batch_->room[0] = 3;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatchV2, (BATCH(batch_)), "destMax 3", "copy 0 of 3");
}

class aclrtMemcpyBatchAsyncTest : public BatchTest {};

TEST_F(aclrtMemcpyBatchAsyncTest, GoodAndBad) {
  EXPECT_EQ(aclrtMemcpyBatchAsync(BATCH(batch_), &fail_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  ExpectCopied();
  batch_->room[1] = 3;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatchAsync, (BATCH(batch_), &fail_, stream_), "copy 1 of 3");
  EXPECT_EQ(fail_, 1u);
  batch_->room[1] = 4;
  EXPECT_FAILS(ACL_ERROR_RT_INVALID_HANDLE, aclrtMemcpyBatchAsync, (BATCH(batch_), &fail_, &fail_), "stream 0x");
  EXPECT_EQ(fail_, SIZE_MAX);
}

class aclrtMemcpyBatchAsyncV2Test : public BatchTest {};

TEST_F(aclrtMemcpyBatchAsyncV2Test, UnknownHostMemory_IsCopiedBeforeTheCallReturns) {
  int host[2] = {};
  batch_->targets[2] = host;
  EXPECT_EQ(aclrtMemcpyBatchAsyncV2(BATCH(batch_), stream_), ACL_SUCCESS);
  EXPECT_THAT(host, ::testing::ElementsAre(3, 4));
  batch_->room[1] = 3;
  EXPECT_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpyBatchAsyncV2, (BATCH(batch_), stream_), "copy 1 of 3");
}

}  // namespace
}  // namespace softhccl::conformance
