package bench

import "runtime"

// MoreThreads lets the process run n threads more than it computes with,
// until end is called: those that wait for a disk or a GPU, in the CLI and in
// measurements.
func MoreThreads(n int) (end func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + n)
	return func() { runtime.GOMAXPROCS(before) }
}
