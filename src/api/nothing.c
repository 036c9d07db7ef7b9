// A library without functions: projects name it at link time, and none of its functions is known to be called.
typedef int SofthcclNothing;
