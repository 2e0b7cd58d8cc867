package communityjob_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/communityjob"
	"github.com/garaph/garaph/internal/testgraph"
)

// TestCommunityJob checks that a search that was interrupted, and then could not write its results,
// goes on each time with what it had, and is done at last.
func TestCommunityJob(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.graph")
	inputs := []string{filepath.Join(testgraph.Shared(t), "ego-Facebook.txt.gz")}
	_, err := garaph.Import(t.Context(), inputs, path, garaph.ImportOptions{Edges: garaph.EdgeOptions{Undirected: true}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	queries := []garaph.CommunityQuery{{Vertex: 1, Low: 3, High: 5}, {Vertex: 499, Low: 3, High: 5},
		{Vertex: 2000, Low: 3, High: 5}}
	var want []int
	_, err = garaph.FindCommunities(t.Context(), g, queries,
		garaph.CommunityOptions{}, func(_ int, c *garaph.Community) error {
			want = append(want, c.MinDegree)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	o := garaph.CommunityOptions{TimeLimit: time.Minute}
	asked := 0
	find := func(ctx context.Context, job *garaph.Job, answered func()) (*communityjob.Job, error) {
		j, err := communityjob.Record(ctx, g, job, garaph.Checkpoints{Every: 1},
			o, func() ([]garaph.CommunityQuery, error) { asked++; return queries, nil })
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		_, err = j.Find(ctx, func(i int, c *garaph.Community) error {
			if n++; i != n-1 || c.MinDegree != want[i] || !c.Proven || c.Query != queries[i] {
				t.Errorf("answer %d: %+v, want minimum degree %d", i, c, want[i])
			}
			answered()
			return nil
		})
		if err == nil && n != len(queries) {
			t.Errorf("%d answers", n)
		}
		return j, err
	}
	resumed := func() *garaph.Job {
		job, err := g.OpenJob(0)
		if err != nil {
			t.Fatal(err)
		}
		if !communityjob.Is(job) {
			t.Error("it is no community job")
		}
		return job
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = find(ctx, g.NewJob(checkpoint.Spec{Name: "community"}), cancel)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want an interruption", err)
	}
	for _, lost := range []error{errors.New("no room"), nil} {
		j, err := find(t.Context(), resumed(), func() {})
		if err != nil {
			t.Fatal(err)
		}
		if lost != nil {
			j.Lose(lost)
		}
		if err := j.Close(); err != nil && !errors.Is(err, lost) {
			t.Error(err)
		}
	}
	if _, err := g.OpenJob(0); !errors.Is(err, garaph.ErrNoJob) || asked != 1 {
		t.Errorf("got %v after the queries were asked for %d times, want no job that is not done", err, asked)
	}
}
