package bench

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is how long the processors have worked since the machine began, in
// seconds of one processor.
type usage struct {
	all  float64 // idle time too
	busy float64 // for whomever, other machines on the same hardware included
	own  float64 // for this process
}

// tick is the unit of /proc/stat, which is the same on every Linux that garaph
// is built for.
const tick = time.Second / 100

// usageNow is zero where the system does not report it.
func usageNow() usage {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return usage{}
	}
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return usage{}
	}
	u := parseUsage(string(b))
	u.own = time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
	return u
}

// parseUsage reads the first line: "cpu user nice system idle iowait irq
// softirq steal", and times of guests, which the first two have counted.
func parseUsage(stat string) (u usage) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return usage{}
	}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return usage{}
		}
		t := (time.Duration(n) * tick).Seconds()
		u.all += t
		if i != 3 && i != 4 { // idle, iowait
			u.busy += t
		}
	}
	return u
}

// othersSince is the share of the processors' time since then that others had,
// in [0, 1].
func (u usage) othersSince(then usage) float64 {
	if u.all <= then.all {
		return 0
	}
	return min(1, max(0, (u.busy-then.busy-(u.own-then.own))/(u.all-then.all)))
}
