//go:build cuda

// CUDA's driver is loaded when the process begins, and not by the system's loader, which
// ends a process whose libraries are not all there. Without it every function fails, but
// that gorgonia.org/cu, which ends the process too, is told that CUDA has begun.

#include <dlfcn.h>
#include <stddef.h>

#include "driver_cuda.h"

#define FUNCTION(name) __attribute__((visibility("hidden"))) void *garaph_at_##name;
#include "driver_functions.h"
#undef FUNCTION

int garaph_driver = garaph_no_driver;

static int (*begin)(unsigned);

static int no_device(void) { return 100; } // CUDA_ERROR_NO_DEVICE

static int init(unsigned flags) {
	if (begin != NULL)
		garaph_driver = begin(flags);
	return 0;
}

__attribute__((constructor)) static void find(void) {
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
#define FUNCTION(name) \
	{ \
		void *at = driver != NULL ? dlsym(driver, #name) : NULL; \
		garaph_at_##name = at != NULL ? at : (void *)no_device; \
	}
#include "driver_functions.h"
#undef FUNCTION
	if (driver != NULL)
		begin = (int (*)(unsigned))dlsym(driver, "cuInit");
	garaph_at_cuInit = (void *)init;
}
