package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
)

// TestStageLines: without a terminal a stage writes a line every two seconds at
// most, and none when it is over sooner.
func TestStageLines(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(&out)
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	s := c.stage("reading", 100, inBytes)
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

func TestPace(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		rate        float64
		in          unit
		want        string
	}{
		{4 << 30, 8 << 30, 2 << 30, inBytes, "4.0 GiB of 8.0 GiB, 2.0 GiB/s, 2s left"},
		{8 << 30, 8 << 30, 2 << 30, inBytes, "8.0 GiB of 8.0 GiB, 2.0 GiB/s"},
		{4 << 30, -1, 2 << 30, inBytes, "4.0 GiB, 2.0 GiB/s"},
		{12_300_000, 0, 0, inEdges, "12.3 M edges"},
		{1, 1 << 62, 1e-9, inEdges, "1 edges of 4.6 E edges, 0 edges/s"},
		{10, 100, 2, inIterations, "10 iterations of 100 iterations, 2 iterations/s, at most 45s left"},
		{1, 100, 0.5, inQueries, "1 query of 100 queries, 0 queries/s, 3m18s left"},
	} {
		p := pace{c.done, c.total, c.rate, c.in.name == inIterations.name}
		if got := strings.TrimSuffix(p.amount(c.in)+", "+p.left(), ", "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestShortPhase: what is over at once has a rate when it ends.
func TestShortPhase(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(io.Discard)
	c.updates = &updates{w: &out}
	s := c.stage("pagerank", 5, inIterations)
	s.set(5, "")
	s.end()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var first, last update
	if err := errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[len(lines)-1]), &last)); err != nil {
		t.Fatal(err)
	}
	if first.Rate != 0 || last.State != phaseEnded || last.Rate <= 0 {
		t.Errorf("got %+v and %+v", first, last)
	}
}

// TestUpdates: a phase is a line when it begins, one now and then, and one at its end
// with what was set last.
func TestUpdates(t *testing.T) {
	var out bytes.Buffer
	c := newConsole(io.Discard)
	c.updates = &updates{w: &out}
	s := c.stage("pagerank", 20, inIterations)
	s.begun = s.begun.Add(-400 * time.Second)
	s.logged = time.Now().Add(time.Hour)
	s.iterated("iteration 5", garaph.Iteration{Iteration: 4}) // too soon for a line
	s.logged = time.Now().Add(-time.Second)
	s.iterated("iterations 6 to 8", garaph.Iteration{Iteration: 5, Levels: 3})
	if time.Since(s.logged) > time.Minute {
		t.Error("the time of the line was not noted")
	}
	s.logged = time.Now().Add(time.Hour)
	s.iterated("iteration 9", garaph.Iteration{Iteration: 8})
	s.end()
	var lines []update
	for line := range strings.Lines(out.String()) {
		var u update
		if err := json.Unmarshal([]byte(line), &u); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, err := time.Parse(time.RFC3339, u.Time); err != nil {
			t.Error(err)
		}
		lines = append(lines, u)
	}
	if len(lines) != 3 {
		t.Fatalf("got %s, want three lines", out.String())
	}
	first, second, last := lines[0], lines[1], lines[2]
	if first.State != phaseBegun || first.Done != 0 || *first.Total != 20 || first.Unit != "iterations" || first.ETA != nil {
		t.Errorf("the first: %+v", first)
	}
	// 4 of the 8 iterations were done before: 1 in 100 seconds, 12 to do.
	if second.State != phaseRunning || second.Done != 8 || second.Rate < 0.009 || second.Rate > 0.01 || *second.ETA < 1200 || *second.ETA > 1334 || second.Iteration.Iteration != 6 {
		t.Errorf("the second: %+v", second)
	}
	if last.State != phaseEnded || last.Done != 9 || last.ETA == nil || *last.ETA != 0 || last.Text != "iteration 9" || last.Iteration.Iteration != 9 {
		t.Errorf("the last: %+v", last)
	}
}
