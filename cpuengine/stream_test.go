package cpuengine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/page"
)

// streamAll streams pages, each of which is reported once.
func streamAll[V, A any](t rapid.TB, e *Engine[V, A], pages []*page.Page, w Work) (total Stats) {
	t.Helper()
	given, reported := 0, map[*page.Page]bool{}
	err := e.Stream(context.Background(), 0, func(context.Context) (*page.Page, Work, error) {
		if given == len(pages) {
			return nil, w, nil
		}
		given++
		return pages[given-1], w, nil
	}, func(p *page.Page, s Stats, busy time.Duration) error {
		if reported[p] || busy < 0 {
			t.Errorf("reported twice: %v, busy for %v", reported[p], busy)
		}
		reported[p] = true
		total.Add(s)
		return nil
	})
	if err != nil || len(reported) != len(pages) {
		t.Fatalf("%d of %d pages, %v", len(reported), len(pages), err)
	}
	return total
}

// faulty panics in the method of this name.
type faulty struct {
	atLeast
	method string
}

func (p faulty) Gather(src uint32, _ gas.Edge, _ uint32) uint32 {
	if p.method == "Gather" {
		panic("in Gather")
	}
	return src
}

func (p faulty) Aggregate(gas.Vertex, uint32) float64 {
	if p.method == "Aggregate" {
		panic("in Aggregate")
	}
	return 0
}

// TestStreamErrors checks that the first error of next, of done or of a task ends a stream,
// also while next waits for a page to come back.
func TestStreamErrors(t *testing.T) {
	s := newShards(testgraph.Complete(), 1, false, false)
	for _, threads := range []int{1, 2, 5} {
		for _, what := range []string{"next", "done", "Gather", "Aggregate"} {
			t.Run(fmt.Sprint(what, threads), func(t *testing.T) {
				a := newArrays[uint32](t, s, gas.Both)
				defer a.Free()
				p := faulty{atLeast{1000, gas.Both}, what}
				e := newEngine(t, gas.Program[uint32, uint32](p), a, s, threads, 3)
				failed := errors.New("in " + what)
				given := 0
				err := e.Stream(t.Context(), 0, func(ctx context.Context) (*page.Page, Work, error) {
					if given++; given <= len(s.firsts) {
						return s.page(given-1, given, gas.Both), Work{Aggregates: make([]float64, len(s.firsts))}, nil
					}
					if what == "next" {
						return nil, Work{}, failed
					}
					<-ctx.Done()
					return nil, Work{}, ctx.Err()
				}, func(*page.Page, Stats, time.Duration) error {
					if what == "done" {
						return failed
					}
					return nil
				})
				if err == nil || !strings.Contains(err.Error(), failed.Error()) {
					t.Fatalf("got %v", err)
				}
			})
		}
	}
}
