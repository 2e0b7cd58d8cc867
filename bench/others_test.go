package bench

import "testing"

func TestOthers(t *testing.T) {
	then := parseUsage("cpu  1000 0 0 1000 0 0 0 0 0 0\ncpu0 1 2 3\n")
	now := parseUsage("cpu  1200 100 50 1500 50 0 0 100 7 7\n")
	now.own = 1.5
	if now.all-then.all != 10 || now.busy-then.busy != 4.5 {
		t.Fatalf("from %+v to %+v", then, now)
	}
	if got := now.othersSince(then); got != 0.3 {
		t.Errorf("others had %v, want 0.3", got)
	}
	for _, stat := range []string{"", "intr 1 2", "cpu 1 2 3", "cpu a b c d e f g h"} {
		if u := parseUsage(stat); u != (usage{}) {
			t.Errorf("%q: got %+v", stat, u)
		}
	}
	if got := then.othersSince(then); got != 0 {
		t.Errorf("others had %v of no time", got)
	}
	if u := usageNow(); u.all <= 0 || u.busy <= 0 || u.own <= 0 {
		t.Errorf("got %+v of this machine", u)
	}
}
