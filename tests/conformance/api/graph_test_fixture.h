// What the tests of graphs share: a capture of stream_, further streams, events and notifies that go with the test.
#pragma once

#include <vector>

#include "fixture.h"

namespace softhccl::conformance {

class GraphFixture : public DeviceTest {
 protected:
  void TearDown() override {
    if (graph_ != nullptr) {
      EXPECT_EQ(aclmdlRIDestroy(graph_), ACL_SUCCESS);
    }
    for (aclrtEvent event : events_) EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    for (aclrtNotify notify : notifies_) EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
    for (aclrtStream stream : streams_) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  void Begin(aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) {
    ASSERT_EQ(aclmdlRICaptureBegin(stream_, mode), ACL_SUCCESS);
  }
  void End() { ASSERT_EQ(aclmdlRICaptureEnd(stream_, &graph_), ACL_SUCCESS); }
  // Ends a capture that became invalid, with these parts in the message.
  void EndInvalid(const std::string& part, int code = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED) {
    EXPECT_FAILS(code, aclmdlRICaptureEnd, (stream_, &graph_), "the capture is invalid", part);
    EXPECT_EQ(graph_, nullptr);
  }
  void Replay() {
    ASSERT_EQ(aclmdlRIExecuteAsync(graph_, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }

  aclrtStream MakeStream() {
    aclrtStream made = nullptr;
    EXPECT_EQ(aclrtCreateStream(&made), ACL_SUCCESS);
    streams_.push_back(made);
    return made;
  }
  aclrtEvent MakeEvent() {
    aclrtEvent made = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&made), ACL_SUCCESS);
    events_.push_back(made);
    return made;
  }
  aclrtEvent MakeEventWith(uint32_t flag) {
    aclrtEvent made = nullptr;
    EXPECT_EQ(aclrtCreateEventWithFlag(&made, flag), ACL_SUCCESS);
    events_.push_back(made);
    return made;
  }
  aclrtEvent MakeEventExWith(uint32_t flag) {
    aclrtEvent made = nullptr;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&made, flag), ACL_SUCCESS);
    events_.push_back(made);
    return made;
  }
  aclrtNotify MakeNotify() {
    aclrtNotify made = nullptr;
    EXPECT_EQ(aclrtCreateNotify(&made, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
    notifies_.push_back(made);
    return made;
  }

  // `to` waits for all that is on `from` now.
  void Order(aclrtStream from, aclrtStream to) {
    aclrtEvent event = MakeEvent();
    ASSERT_EQ(aclrtRecordEvent(event, from), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(to, event), ACL_SUCCESS);
  }
  // Copies one int of `ints` to another place.
  static void Copy(const DeviceInts& ints, int from, int to, aclrtStream stream) {
    ASSERT_EQ(aclrtMemcpyAsync(ints.data() + to, 4, ints.data() + from, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
              ACL_SUCCESS);
  }
  static void Set(const DeviceInts& ints, const std::vector<int>& values) {
    ASSERT_EQ(
        aclrtMemcpy(ints.data(), ints.bytes(), values.data(), values.size() * sizeof(int), ACL_MEMCPY_HOST_TO_DEVICE),
        ACL_SUCCESS);
  }

  aclmdlRI graph_ = nullptr;

 private:
  std::vector<aclrtStream> streams_;
  std::vector<aclrtEvent> events_;
  std::vector<aclrtNotify> notifies_;
};

}  // namespace softhccl::conformance
