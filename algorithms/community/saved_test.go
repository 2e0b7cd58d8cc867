package community

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/store"
)

// visits returns a search on the CPU that ends after a number of nodes, of which some are visited in each call.
func visits(most int) func(context.Context, []Open, *Best) ([]Open, int64, error) {
	return func(ctx context.Context, open []Open, b *Best) (rest []Open, visited int64, err error) {
		w := worker{best: b}
		w.stopped = func() bool { return w.visited >= int64(most) || ctx.Err() != nil }
		w.share = func(o Open) { rest = append(rest, o) }
		for _, o := range slices.Backward(open) {
			w.search(o)
		}
		return rest, w.visited, nil
	}
}

// resumed answers queries in process after process, each of which goes on from what the last one has
// saved when it was stopped, or before, and returns the answers.
func resumed(
	t *testing.T, s *store.Store, queries []Query, o Options, r *rand.Rand,
) (answers []*Result, processes int) {
	t.Helper()
	var words []uint64
	for stopped := true; stopped; processes++ {
		ctx, cancel := context.WithCancel(t.Context())
		o.Saving = Saving{Policy: checkpoint.Policy{Every: 1 + r.IntN(20), Interval: time.Nanosecond}}
		if words != nil {
			from, err := ReadSaved(words, s.Catalogue().Vertices)
			if err != nil {
				t.Fatal(err)
			}
			o.Saving.From = from
		}
		killed, left := r.IntN(2) == 0, 1+r.IntN(4)
		o.Saving.Save = func(now *Saved) {
			if !killed || left > 0 { // what a process saves after it was killed is not there
				words = now.Words()
			}
			if left--; left == 0 {
				cancel()
			}
		}
		answers = nil
		_, err := Find(ctx, s, queries, o, func(i int, r *Result) error {
			if i != len(answers) {
				t.Fatalf("answer %d after %d", i, len(answers))
			}
			answers = append(answers, r)
			return nil
		})
		stopped = errors.Is(err, context.Canceled)
		if err != nil && !stopped {
			t.Fatal(err)
		}
		cancel()
	}
	return answers, processes
}

// TestResume checks that a search that is stopped again and again, after some nodes of a query,
// finds optima and proves them.
func TestResume(t *testing.T) {
	resumeAll(t, func(r *rand.Rand) Options {
		return Options{Threads: 2, Device: algorithms.CPU, hooks: hooks{cpu: visits(1 + r.IntN(5))}}
	})
}

func resumeAll(t *testing.T, options func(r *rand.Rand) Options) {
	t.Helper()
	all, stopped := graphs(t, 12, 60), 0
	for seed := range all {
		r := rand.New(rand.NewPCG(uint64(seed), 19))
		g := randomGraph(r)
		s, best := stored(t, g, r), g.optima()
		queries, want := g.queries(&best)
		answers, processes := resumed(t, s, queries, options(r), r)
		for i, a := range answers {
			if !a.Proven || a.MinDegree != want[i] || a.Query != queries[i] {
				t.Fatalf("graph %d, %d processes: %+v, want minimum degree %d of %v", seed, processes, a, want[i], queries[i])
			}
			set := uint32(0)
			for _, v := range a.Members {
				set |= 1 << v
			}
			if want[i] >= 0 && (!g.connected(set) || g.least(set) != want[i]) {
				t.Fatalf("graph %d: %v is no community of minimum degree %d", seed, a.Members, want[i])
			}
		}
		if stopped += processes - 1; len(answers) != len(queries) {
			t.Fatalf("graph %d: %d answers to %d queries by %d processes", seed, len(answers), len(queries), processes)
		}
	}
	if stopped < all {
		t.Errorf("%d searches were stopped %d times", all, stopped)
	}
}

// hard returns a stored graph of larger problems, with several compactions, and what its queries' searches
// are like after some nodes.
func hard(t *testing.T, seed uint64) (*store.Store, []Query, []uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 20))
	g := &graph{n: 400}
	for v := range uint32(g.n) {
		for range 5 {
			g.edges = append(g.edges, [2]uint32{v, uint32(r.IntN(g.n))})
		}
	}
	s := stored(t, g, r)
	queries := []Query{{0, 1, 1}, {7, 1, 3}}
	for v := range uint32(10) {
		queries = append(queries, Query{v, 5, 12})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var words []uint64
	o := Options{Threads: 1, Device: algorithms.CPU}
	o.cpu = func(ctx context.Context, open []Open, b *Best) ([]Open, int64, error) {
		return visits(30)(context.WithoutCancel(ctx), open, b) // however slow the machine is
	}
	o.Saving = Saving{Policy: checkpoint.Policy{Interval: time.Nanosecond}, Save: func(now *Saved) {
		n := len(now.Answers) + 1 // the one that is being searched is the last
		words = (&Saved{now.Queries[:min(n, len(queries))], now.Answers, now.begun}).Words()
		if n > 2 && len(now.begun) == 1 && len(problemsOf(&now.begun[0].DeviceQuery)) > 1 {
			cancel()
		}
	}}
	if _, err := Find(ctx, s, queries, o, func(int, *Result) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatalf("not stopped: %v", err)
	}
	from, err := ReadSaved(words, uint32(g.n))
	if err != nil {
		t.Fatal(err)
	}
	return s, from.Queries, words
}

// TestResumeIsTheSame checks that what was saved has the nodes, the counts and the time of what was
// stopped, and with other threads the search goes on to the same minimum degree.
func TestResumeIsTheSame(t *testing.T) {
	s, queries, words := hard(t, 1)
	from, err := ReadSaved(words, s.Catalogue().Vertices)
	if err != nil {
		t.Fatal(err)
	}
	if again := from.Words(); !slices.Equal(again, words) {
		t.Errorf("%d words became %d others", len(words), len(again))
	}
	if p := from.begun[0]; p.Branches < 30 || p.search == 0 || p.search != p.earlier ||
		len(problemsOf(&p.DeviceQuery)) < 2 {
		t.Errorf("%d nodes of %d problems after %d branches, %v",
			len(p.Open), len(problemsOf(&p.DeviceQuery)), p.Branches, p.search)
	}
	var want []int
	_, err = Find(t.Context(), s, queries, Options{Threads: 1, Device: algorithms.CPU}, func(_ int, r *Result) error {
		want = append(want, r.MinDegree)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if from, err = ReadSaved(words, s.Catalogue().Vertices); err != nil {
		t.Fatal(err)
	}
	_, err = Find(t.Context(), s, queries,
		Options{Threads: 3, Device: algorithms.CPU, Saving: Saving{From: from}}, func(i int, r *Result) error {
			if r.MinDegree != want[i] || !r.Proven {
				t.Errorf("query %d: %+v, want minimum degree %d", i, r, want[i])
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// TestResumeTimeLimit checks that the time of earlier processes counts.
func TestResumeTimeLimit(t *testing.T) {
	s, queries, words := hard(t, 1)
	from, err := ReadSaved(words, s.Catalogue().Vertices)
	if err != nil {
		t.Fatal(err)
	}
	p := from.begun[0]
	k, branches, at := p.Best.K(), p.Branches, len(from.Answers)
	o := Options{Device: algorithms.CPU, TimeLimit: time.Hour, Saving: Saving{From: from}}
	p.earlier = o.TimeLimit
	_, err = Find(t.Context(), s, queries, o, func(i int, r *Result) error {
		if i == at && (r.Proven || r.MinDegree != k || r.Branches != branches) {
			t.Errorf("%+v, want what was found in %d branches before", r, branches)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHostileSaved changes every word of what was saved, and where it ends: that is refused, or the search
// goes on from something else, and ends.
func TestHostileSaved(t *testing.T) {
	s, _, words := hard(t, 2)
	refused, taken := 0, 0
	try := func(what string, words []uint64) {
		t.Helper()
		from, err := ReadSaved(words, s.Catalogue().Vertices)
		if err != nil {
			refused++
			return
		}
		if taken++; taken%2 > 0 || !testsize.Long && taken%8 > 0 {
			return
		}
		_, err = Find(t.Context(), s, from.Queries,
			Options{Threads: 2, TimeLimit: time.Millisecond, Device: algorithms.CPU, Saving: Saving{From: from}},
			func(int, *Result) error { return nil })
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i, word := range words {
		for _, x := range []uint64{0, 1, 2, word - 1, word + 1, word << 1, word ^ 1<<(i%64), 1 << 31, math.MaxUint32, 1 << 40,
			1 << 63, math.MaxInt64, math.MaxUint64} {
			changed := slices.Clone(words)
			changed[i] = x
			try(fmt.Sprintf("word %d = %#x", i, x), changed)
		}
		if _, err := ReadSaved(words[:i], s.Catalogue().Vertices); err == nil {
			t.Errorf("%d of %d words are taken for all", i, len(words))
		}
	}
	if _, err := ReadSaved(append(slices.Clone(words), 0), s.Catalogue().Vertices); err == nil {
		t.Error("a word more is taken for nothing")
	}
	if _, err := ReadSaved(words, 100); err == nil {
		t.Error("it is taken for one of a smaller graph")
	}
	if refused == 0 || taken == 0 {
		t.Errorf("%d were refused, %d not", refused, taken)
	}
	t.Logf("%d words; %d were refused, %d not", len(words), refused, taken)
}
