// needs A10: a rank table that is wrong is refused with its file, line and field, what was found and what was expected,
// instead of a number. Six ways to get one wrong, the last of which only shows when the ranks that are listed do not
// come; the parser's own suite has many more.
#include "fixture.h"
#include "rank_table_file.h"

namespace softhccl::conformance {
namespace {

class needs_A10 : public DeviceTest {
 protected:
  // The table of two ranks with `from` replaced by `to` must be refused for `line`, `field` and the further texts.
  void ExpectRefused(const std::string& from, const std::string& to, int line, const std::string& field,
                     const std::string& found, const std::string& expected) {
    std::string text = OneServer(2);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    const TableFile table(text.replace(at, from.size(), to));
    EXPECT_FAILS(HCCL_E_PARA, HcclCommInitClusterInfo, (table.path(), 0, &comm_), "EI0014",
                 std::string(table.path()) + ":" + std::to_string(line) + ": " + field, found, expected);
    EXPECT_EQ(comm_, nullptr);
  }
  HcclComm comm_ = nullptr;
};

TEST_F(needs_A10, DuplicateRank_IsNamedWithItsFirstLine) {
  ExpectRefused("\"rank_id\": \"1\"", "\"rank_id\": \"0\"", 8, "server_list[0].device[1].rank_id", "0",
                "is in line 7 already");
}

TEST_F(needs_A10, GapInTheRanks_IsNamed) {
  ExpectRefused("\"rank_id\": \"1\"", "\"rank_id\": \"2\"", 5, "server_list[0]", "go from 0 to 2", "follow each other");
}

TEST_F(needs_A10, CountOfServers_IsComparedWithTheList) {
  ExpectRefused("\"server_count\": \"1\"", "\"server_count\": \"2\"", 4, "server_count", "is 2",
                "server_list has 1 server");
}

TEST_F(needs_A10, WrongVersion_IsNamedWithTheKnownOnes) {
  ExpectRefused("\"version\": \"1.0\"", "\"version\": \"9.9\"", 3, "version", "\"9.9\" is not known",
                "\"1.0\", \"1.2\" or \"2.0\"");
}

TEST_F(needs_A10, BadAddress_IsNamed) {
  ExpectRefused("\"rank_id\": \"1\"", "\"device_ip\": \"192.168.1.256\", \"rank_id\": \"1\"", 8,
                "server_list[0].device[1].device_ip", "192.168.1.256", "is not an IPv4 or IPv6 address");
}

// Nobody waits for all ranks at the start, so the one that is missing is named where it is needed.
TEST_F(needs_A10, SixteenListedEightStarted_TheMissingRankIsNamed) {
  const TableFile table(OneServer(16));
  std::vector<HcclComm> comms(8);
  for (uint32_t rank = 8; rank-- > 0;) {  // device 0 is the current one in the end
    EXPECT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
    ASSERT_EQ(HcclCommInitClusterInfo(table.path(), rank, &comms[rank]), HCCL_SUCCESS);
  }
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.remoteRank = 12;
  ChannelHandle channel = 0;
  EXPECT_FAILS(HCCL_E_TIMEOUT, HcclChannelAcquire, (comms[0], COMM_ENGINE_AICPU, &desc, 1, &channel), "EI0006",
               "rank 12", "device 12", "has not created its communicator");
  for (uint32_t rank = 8; rank-- > 0;) {
    EXPECT_EQ(aclrtSetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);
    EXPECT_EQ(HcclCommDestroy(comms[rank]), HCCL_SUCCESS);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(rank)), ACL_SUCCESS);  // it was set twice
  }
}

}  // namespace
}  // namespace softhccl::conformance
