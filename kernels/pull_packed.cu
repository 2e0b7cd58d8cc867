// pull_packed: a pull over packed blocks. The 8 slots of a lane are gathered at once, so that
// their loads overlap.

#define ALL(what) what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7)
#define SLOTS ALL(EDGE) ALL(FOLD) ALL(FINISH)

#include "pull_packed.cuh"

extern "C" __global__ void __launch_bounds__(1024) ENTRY(garaph_pull_packed)(const pull_packed_args args) { pull(args); }
