// Beginning and end of a program's use of the library: aclInit, aclFinalize, and the trace that spans them.
#pragma once

namespace softhccl::api {

// Starts recording if SOFTHCCL_TRACE is set and arranges that the trace is written at aclFinalize or at exit.
// Called by the first entry into the library; cheap to repeat.
void StartObservation();
// Writes the trace now, if one is being recorded.
void FinishObservation();

// Counts for aclInit and aclFinalize.
int Initialise();  // how often it was initialised before
bool Finalise();   // false: finalised already
// For aclFinalizeReference: one initialisation less. How many are left: 0 means that it is time to finalise; -1: none
// was.
int ReleaseReference();
bool IsInitialised();

// Lists streams, notifies and memory that are still alive, on request (SOFTHCCL_LEAKS=1).
void ReportLeaks();

}  // namespace softhccl::api
