package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestStageLines: without a terminal a stage writes a line every two seconds at
// most, and none when it is over sooner.
func TestStageLines(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(&out)
	c.open()
	s := c.stage("reading", 100)
	s.set(10, "10 of 100")
	if out.Len() > 0 {
		t.Errorf("at once: %q", out.String())
	}
	for range 3 {
		s.logged = s.logged.Add(-between)
		s.set(20, "20 of 100")
		s.set(21, "21 of 100")
	}
	s.end()
	if got := out.String(); strings.Count(got, " info reading: 20 of 100\n") != 3 || strings.Count(got, "\n") != 3 {
		t.Errorf("got %q, want three lines", got)
	}
}

// TestCountText: numbers are rounded, not cut off.
func TestCountText(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 9137: "9,137", 10_000: "10 k", 15_791: "15.8 k", 170_582: "170.6 k", 999_940: "999.9 k", 999_960: "1 M",
		4_153_750: "4.2 M", 4_194_304: "4.2 M", 12_300_000: "12.3 M", 1_073_741_824: "1.1 G",
	} {
		if got := countText(x); got != want {
			t.Errorf("%v: got %q, want %q", x, got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	a := amount{bytesText, time.Now().Add(-2 * time.Second)}
	if got, want := a.text(4<<30, 8<<30), "4.0 GiB of 8.0 GiB, 2.0 GiB/s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := a.text(4<<30, -1), "4.0 GiB, 2.0 GiB/s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	now := amount{edgesText, time.Now()}
	if got, want := now.text(12_300_000, 0), "12.3 M edges"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
