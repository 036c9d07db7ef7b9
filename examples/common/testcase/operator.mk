# Builds and runs a program of an installed operator: make | make test | make clean. `source <sdk>/set_env.sh` first; the
# operator's package must be installed. VENDOR is the name that build.sh got with --vendor: `make VENDOR=mine`. Set before the
# include: OPERATOR, its name; PROGRAM and SOURCES, if they are not those of a collective operator's test.
ifeq ($(strip $(ASCEND_HOME_PATH)),)
  ifneq ($(MAKECMDGOALS),clean)
    $(error ASCEND_HOME_PATH is not set: source set_env.sh of the SDK first)
  endif
endif

VENDOR := cust
COMMON := $(dir $(lastword $(MAKEFILE_LIST)))
ifneq ($(origin PROGRAM),file)
  PROGRAM := $(OPERATOR)_test
  SOURCES := main.cc $(COMMON)collective_test.cc
endif
SDK_LIB := $(ASCEND_HOME_PATH)/lib64
OPP := $(ASCEND_HOME_PATH)/opp/vendors/$(VENDOR)
CXX ?= g++
CXXFLAGS := -std=c++14 -Wall -Wextra -Werror -O2 -g -pthread -D_GLIBCXX_USE_CXX11_ABI=0 \
            -isystem $(ASCEND_HOME_PATH)/include -I$(OPP)/include -I$(COMMON)
LDFLAGS := -Wl,--copy-dt-needed-entries -L$(SDK_LIB) -L$(OPP)/lib64
LDLIBS := -lacl_rt -lhccl_custom_$(OPERATOR)

# The functions of libhcomm.so are found through the operator's library, for which the linker searches these folders.
export LD_LIBRARY_PATH := $(OPP)/lib64:$(SDK_LIB)$(if $(LD_LIBRARY_PATH),:$(LD_LIBRARY_PATH))

.PHONY: all test clean
all: $(PROGRAM)

$(PROGRAM): $(SOURCES) $(wildcard $(COMMON)*.h) $(OPP)/include/hccl_custom_$(OPERATOR).h
	$(CXX) $(CXXFLAGS) $(SOURCES) -o $@ $(LDFLAGS) $(LDLIBS)

$(OPP)/include/hccl_custom_$(OPERATOR).h:
	$(error the operator is not installed in $(OPP): run the .run package that build.sh made, with --install)

test: $(PROGRAM)
	./$(PROGRAM)

clean:
	rm -f $(PROGRAM)
