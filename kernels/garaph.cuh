// What the kernels share: the markers at which package kernels puts the
// program's code. nvcc sees comments with registers in them; the variables that
// they name (old, acc, edge.weight ...) are registers that only the assembled
// kernel has. See splice.go for what each marker becomes.

#include <stdint.h>

#define MARK(text) asm volatile("// garaph: " text ::: "memory")

// A scalar input: SET("v.id", "r", x).
#define SET(name, constraint, x) asm volatile("// garaph: set " name " %0" ::constraint(x) : "memory")
// The weight of an edge: float or, in the variants of kernels whose names end in _wide, double.
#ifdef WIDE
typedef double weight_t;
#define ENTRY(name) name##_wide
#define SET_WEIGHT(x) SET("edge.wide", "d", x)
#else
typedef float weight_t;
#define ENTRY(name) name
#define SET_WEIGHT(x) SET("edge.weight", "f", x)
#endif
// A scalar result in 32 bits.
#define GET(name, x) asm volatile("// garaph: get " name " %0" : "=r"(x)::"memory")
// The fields of the program, from where they lie in global memory.
#define PARAMETERS(p) asm volatile("// garaph: parameters %0" ::"l"(__cvta_generic_to_global(p)) : "memory")
// A value or accumulator from element i of an array, or to it.
#define LOAD(variable, array, i) \
	asm volatile("// garaph: load global " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
#define STORE(variable, array, i) \
	asm volatile("// garaph: store global " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
// The same where nothing writes during the kernel, and for accumulators in slots.
#define LOAD_CONSTANT(variable, array, i) \
	asm volatile("// garaph: load constant " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i))
#define LOAD_SLOT(variable, array, i) \
	asm volatile("// garaph: load slots " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
#define STORE_SLOT(variable, array, i) \
	asm volatile("// garaph: store slots " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
#define SUM_SLOT(variable, array, i) \
	asm volatile("// garaph: sum slots " variable " %0 %1" ::"l"(__cvta_generic_to_global(array)), "r"(i) : "memory")
// An accumulator from slot i of an array in shared memory, to it, or folded into
// it while other threads do the same.
#define LOAD_SHARED(variable, slots, i) asm volatile("// garaph: load shared " variable " %0 %1" ::"r"(slots), "r"(i) : "memory")
#define STORE_SHARED(variable, slots, i) asm volatile("// garaph: store shared " variable " %0 %1" ::"r"(slots), "r"(i) : "memory")
#define SUM_SHARED(variable, slots, i) asm volatile("// garaph: sum shared " variable " %0 %1" ::"r"(slots), "r"(i) : "memory")
// The result of a method, into a variable.
#define CALL(method, variable) MARK("call " method " " variable)
// The same, or 0 in a flag or sum when the program lacks the method.
#define CALL_IF(method, variable) MARK("optional " method " " variable)
// One variable's content into another one.
#define MOVE(to, from) MARK("move " to " " from)
// A sum of Aggregate.
#define GET_SUM(x) asm volatile("// garaph: get sum %0" : "=d"(x)::"memory")
// The fault of this thread, if there was one, for the host to see.
#define REPORT(fault) asm volatile("// garaph: report %0" ::"l"(__cvta_generic_to_global(fault)) : "memory")

static __device__ __forceinline__ uint32_t shared_address(void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// A run of one side's edges whose destinations lie in a window of vertices. The
// host has the same struct in pull.go.
struct chunk {
	const uint32_t *nbr;
	const weight_t *weight;
	const uint16_t *dst;
	uint32_t edges, first, count, copies, head, tail;
};

struct pull_args {
	const chunk *chunks;
	const void *values;
	void *acc;
	const void *parameters;
	uint32_t *fault;
};

// Folds a chunk's accumulators, at a stride of 2^copies slots, into those of all
// vertices. Only the first and the last vertex may be other blocks' as well.
#define FLUSH(args, c, slots)                                                              \
	for (uint32_t i = threadIdx.x; i < c.count; i += blockDim.x) {                         \
		LOAD_SHARED("b", slots, i << c.copies);                                            \
		if (i == 0 && c.head || i == c.count - 1 && c.tail) {                              \
			SUM_SLOT("b", args.acc, c.first + i);                                          \
			continue;                                                                      \
		}                                                                                  \
		LOAD_SLOT("a", args.acc, c.first + i);                                             \
		CALL("Sum", "acc");                                                                \
		STORE_SLOT("acc", args.acc, c.first + i);                                          \
	}

// A window: accumulators in shared memory, in the form that its native
// instructions fold best; see window.go. Slot i of it, where plane is the distance
// of the high halves of accumulators that lie apart.
#define LOAD_WINDOW(variable, slots, i, plane) \
	asm volatile("// garaph: window load " variable " %0 %1 %2" ::"r"(slots), "r"(i), "r"(plane) : "memory")
#define STORE_WINDOW(variable, slots, i, plane) \
	asm volatile("// garaph: window store " variable " %0 %1 %2" ::"r"(slots), "r"(i), "r"(plane) : "memory")
// A variable folded into a slot while other threads do the same, in two steps, so
// that those of several variables overlap. It is of no use afterwards.
#define SUM_WINDOW(variable, slots, i, plane) \
	asm volatile("// garaph: window sum " variable " %0 %1 %2" ::"r"(slots), "r"(i), "r"(plane) : "memory")
#define FINISH_WINDOW(variable, slots, i, plane) \
	asm volatile("// garaph: window finish " variable " %0 %1 %2" ::"r"(slots), "r"(i), "r"(plane) : "memory")
// Faults of a method do not count if x == y: around calls for what is no edge.
#define GUARD(method) MARK("guard " method)
#define FORGIVE(method, x, y) asm volatile("// garaph: forgive " method " %0 %1" ::"r"(x), "r"(y) : "memory")
