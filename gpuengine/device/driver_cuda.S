//go:build cuda

// Each function jumps to where driver_cuda.c has found it.
#if defined(__x86_64__)
#define FUNCTION(name) \
	.globl name; \
	.type name, %function; \
	name: jmpq *garaph_at_##name(%rip); \
	.size name, . - name;
#elif defined(__aarch64__)
#define FUNCTION(name) \
	.globl name; \
	.type name, %function; \
	name: adrp x16, garaph_at_##name; \
	ldr x16, [x16, :lo12:garaph_at_##name]; \
	br x16; \
	.size name, . - name;
#else
#define FUNCTION(name)
#endif

	.text
#include "driver_functions.h"
	.section .note.GNU-stack, "", %progbits
