package checkpoint

import (
	"fmt"
	"syscall"
	"testing"
)

// BenchmarkWrite writes epochs of 4-byte values, a third of which are active,
// and returns the processors' time for each.
func BenchmarkWrite(b *testing.B) {
	for _, n := range []uint32{1 << 10, 1 << 20, 1 << 22} {
		b.Run(fmt.Sprint(n, " vertices"), func(b *testing.B) {
			j := NewJob(b.TempDir(), Spec{}, Policy{})
			if err := j.Begin(someone, Policy{}); err != nil {
				b.Fatal(err)
			}
			defer j.Close()
			m := random(1, n, 4)
			b.SetBytes(int64(len(m.values)))
			var before, after syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				writeEpoch(b, j, m)
			}
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
				b.Fatal(err)
			}
			used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
			b.ReportMetric(float64(used)/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}
