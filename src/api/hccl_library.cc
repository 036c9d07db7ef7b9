// libhccl.so: programs link it by name. The collectives it will hold do not exist yet; what a program needs besides
// them (communicators) comes from libhcomm.so, which this library brings along.
