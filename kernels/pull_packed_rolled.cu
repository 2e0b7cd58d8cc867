// pull_packed_rolled: the same as pull_packed, for programs of long methods. The slots of a
// lane are gathered in a loop, so that the kernel has Gather and Sum once.

// Registers have no index: the next slot moves to the first place.
#define SLOTS                                              \
	_Pragma("unroll 1") for (int left = 8; left > 0; left--) { \
		EDGE(0) FOLD(0) FINISH(0)                          \
		_Pragma("unroll") for (int k = 0; k < 7; k++)      \
		{                                                  \
			s[k] = s[k + 1];                               \
			d[k] = d[k + 1];                               \
			w[k] = w[k + 1];                               \
		}                                                  \
	}

#include "pull_packed.cuh"

extern "C" __global__ void __launch_bounds__(1024) ENTRY(garaph_pull_packed_rolled)(const pull_packed_args args) { pull(args); }
