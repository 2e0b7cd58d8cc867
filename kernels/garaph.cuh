// What the kernels share: the markers at which package kernels puts the
// program's code. nvcc sees comments with registers in them; the variables that
// they name (old, acc, edge.weight ...) are registers that only the assembled
// kernel has. See splice.go for what each marker becomes.

#include <stdint.h>

#define MARK(text) asm volatile("// garaph: " text ::: "memory")

// A scalar input: SET("v.id", "r", x).
#define SET(name, constraint, x) asm volatile("// garaph: set " name " %0" ::constraint(x) : "memory")
// A scalar result in 32 bits.
#define GET(name, x) asm volatile("// garaph: get " name " %0" : "=r"(x)::"memory")
// The fields of the program, from where they lie in global memory.
#define PARAMETERS(p) asm volatile("// garaph: parameters %0" ::"l"(__cvta_generic_to_global(p)) : "memory")
// A value or accumulator from element i of an array, or to it.
#define LOAD(variable, array, i) \
	asm volatile("// garaph: load global " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
#define STORE(variable, array, i) \
	asm volatile("// garaph: store global " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
// An accumulator from slot i of an array in shared memory, to it, or folded into
// it while other threads do the same.
#define LOAD_SHARED(variable, slots, i) asm volatile("// garaph: load shared " variable " %0 %1" ::"r"(slots), "r"(i) : "memory")
#define STORE_SHARED(variable, slots, i) asm volatile("// garaph: store shared " variable " %0 %1" ::"r"(slots), "r"(i) : "memory")
#define SUM_SHARED(variable, slots, i) asm volatile("// garaph: sum shared " variable " %0 %1" ::"r"(slots), "r"(i) : "memory")
// The result of a method, into a variable.
#define CALL(method, variable) MARK("call " method " " variable)
// The fault of this thread, if there was one, for the host to see.
#define REPORT(fault) asm volatile("// garaph: report %0" ::"l"(__cvta_generic_to_global(fault)) : "memory")

static __device__ __forceinline__ uint32_t shared_address(void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
