package console

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

// TestStageLines checks that without a terminal a stage writes a line every two seconds at
// most, and none when it is over sooner.
func TestStageLines(t *testing.T) {
	var out bytes.Buffer
	c := New(&out, "")
	if err := c.Open(); err != nil {
		t.Fatal(err)
	}
	s := c.Stage("reading", 100, InBytes)
	s.Set(10, "10 of 100")
	if out.Len() > 0 {
		t.Errorf("at once: %q", out.String())
	}
	for range 3 {
		s.logged = s.logged.Add(-between)
		s.Set(20, "20 of 100")
		s.Set(21, "21 of 100")
	}
	s.End()
	if got := out.String(); strings.Count(got, " info reading: 20 of 100\n") != 3 || strings.Count(got, "\n") != 3 {
		t.Errorf("got %q, want three lines", got)
	}
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		rate        float64
		in          Unit
		want        string
	}{
		{4 << 30, 8 << 30, 2 << 30, InBytes, "4.0 GiB of 8.0 GiB, 2.0 GiB/s, 2s left"},
		{8 << 30, 8 << 30, 2 << 30, InBytes, "8.0 GiB of 8.0 GiB, 2.0 GiB/s"},
		{4 << 30, -1, 2 << 30, InBytes, "4.0 GiB, 2.0 GiB/s"},
		{12_300_000, 0, 0, InEdges, "12.3 M edges"},
		{1, 1 << 62, 1e-9, InEdges, "1 edges of 4.6 E edges, 0 edges/s"},
		{10, 100, 2, InIterations, "10 iterations of 100 iterations, 2 iterations/s, at most 45s left"},
		{1, 100, 0.5, InQueries, "1 query of 100 queries, 0 queries/s, 3m18s left"},
	} {
		p := pace{c.done, c.total, c.rate, c.in.name == InIterations.name}
		if got := strings.TrimSuffix(p.amount(c.in)+", "+p.left(), ", "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestShortPhase checks that a short phase has a rate when it ends.
func TestShortPhase(t *testing.T) {
	var out bytes.Buffer
	c := New(io.Discard, "")
	c.updates = &updates{w: &out}
	s := c.Stage("pagerank", 5, InIterations)
	s.Set(5, "")
	s.End()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var first, last update
	err := errors.Join(json.Unmarshal([]byte(lines[0]), &first), json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	if err != nil {
		t.Fatal(err)
	}
	if first.Rate != 0 || last.State != phaseEnded || last.Rate <= 0 {
		t.Errorf("got %+v and %+v", first, last)
	}
}

// TestUpdates checks that a phase is a line when it begins, one now and then, and one at its end
// with what was set last.
func TestUpdates(t *testing.T) {
	var out bytes.Buffer
	c := New(io.Discard, "")
	c.updates = &updates{w: &out}
	s := c.Stage("pagerank", 20, InIterations)
	s.begun = s.begun.Add(-400 * time.Second)
	s.logged = time.Now().Add(time.Hour)
	s.Iterated("iteration 5", garaph.Iteration{Iteration: 4}) // too soon for a line
	s.logged = time.Now().Add(-time.Second)
	s.Iterated("iterations 6 to 8", garaph.Iteration{Iteration: 5, Levels: 3})
	if time.Since(s.logged) > time.Minute {
		t.Error("the time of the line was not noted")
	}
	s.logged = time.Now().Add(time.Hour)
	s.Iterated("iteration 9", garaph.Iteration{Iteration: 8})
	s.End()
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
	if first.State != phaseBegun || first.Done != 0 || *first.Total != 20 || first.Unit != "iterations" ||
		first.ETA != nil {
		t.Errorf("the first: %+v", first)
	}
	// 4 of the 8 iterations were done before: 1 in 100 seconds, 12 to do.
	if second.State != phaseRunning || second.Done != 8 || second.Rate < 0.009 || second.Rate > 0.01 ||
		*second.ETA < 1200 || *second.ETA > 1334 || second.Iteration.Iteration != 6 {
		t.Errorf("the second: %+v", second)
	}
	if last.State != phaseEnded || last.Done != 9 || last.ETA == nil || *last.ETA != 0 || last.Text != "iteration 9" ||
		last.Iteration.Iteration != 9 {
		t.Errorf("the last: %+v", last)
	}
}
