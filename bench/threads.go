package bench

import "runtime"

// OneMoreThread lets the process run one thread more than it computes with,
// until end is called: what runs from disk does so, in the CLI and in
// measurements.
func OneMoreThread() (end func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + 1)
	return func() { runtime.GOMAXPROCS(before) }
}
