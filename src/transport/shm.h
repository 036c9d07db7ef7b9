// Constructor of the shared-memory transport, for the table of transports.
#pragma once

#include <memory>

#include "transport/link.h"

namespace softhccl::transport {

std::unique_ptr<Transport> MakeShmTransport();

}  // namespace softhccl::transport
