package garaph_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// TestParentsEverywhere checks that distances and parents are the same in every mode, by every method,
// on the CPU and on the emulated GPU, in either layout, in memory and from disk; and a path has the
// distances that it should.
func TestParentsEverywhere(t *testing.T) {
	var text strings.Builder
	x := uint32(1)
	for range 3000 { // a graph of many equally near vertices
		x = x*1664525 + 1013904223
		u, v, w := x>>8%500, x>>17%500, x>>28%4
		fmt.Fprintln(&text, u, v, w)
	}
	want := map[bool]string{}
	check := func(g *garaph.Graph, o garaph.RunOptions, weighted bool) {
		var r *garaph.Result
		var err error
		if weighted {
			r, err = garaph.RunWithParents(t.Context(), g, programs.SSSP[float32]{Source: 3}, o, nil)
		} else {
			r, err = garaph.RunWithParents(t.Context(), g, programs.BFS{Source: 3}, o, nil)
		}
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		var got strings.Builder
		if err := r.Write(&got, "csv"); err != nil {
			t.Fatal(err)
		}
		if want[weighted] == "" {
			want[weighted] = got.String()
		} else if got.String() != want[weighted] {
			t.Errorf("%+v, weighted %v: other parents", o, weighted)
		}
		if weighted {
			path, lengths, err := garaph.PathTo[float32](r, 77)
			if err != nil || path[0] != 3 || path[len(path)-1] != 77 || lengths[0] != 0 || !slices.IsSorted(lengths) {
				t.Error(path, lengths, err)
			}
		}
		if _, _, err := garaph.PathTo[float64](r, 77); err == nil {
			t.Error("a path of lengths of another type")
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	g := importedText(t, garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 40}}, text.String())
	csc := importedText(t,
		garaph.ImportOptions{Storage: ingest.StorageOptions{Layout: store.CSC, ShardVertices: 40}}, text.String())
	for _, weighted := range []bool{false, true} {
		for _, o := range []garaph.RunOptions{
			{}, {Mode: dispatcher.Async}, {Method: dispatcher.Pull},
			{Method: dispatcher.NotifyPull, Threads: 3}, {Method: dispatcher.Frontier},
			{Device: dispatcher.GPU, GPU: garaph.GPUOptions{Name: "emulated"}}, {Memory: 60 << 20},
		} {
			check(g, o, weighted)
		}
		check(csc, garaph.RunOptions{}, weighted)
	}
	_, err := garaph.RunWithParents(t.Context(), g, programs.SSSP[float32]{Source: 3},
		garaph.RunOptions{Memory: 40 << 20}, nil)
	if !errors.Is(err, garaph.ErrMemory) || !strings.Contains(err.Error(), "to find parents takes") {
		t.Error(err)
	}
	if _, err := garaph.RunWithParents(t.Context(), g, programs.WCC{}, garaph.RunOptions{}, nil); err == nil {
		t.Error("a program without paths has parents")
	}
	if n := strings.Count(want[true], "\n"); n < 400 {
		t.Errorf("%d rows", n)
	}
}

// TestParentsBudget checks that a budget that is too small for parents is refused before the job,
// and the one that is named is enough for them: also beside checkpoints, whose memory a job holds
// until it is closed.
func TestParentsBudget(t *testing.T) {
	g := importedText(t, garaph.ImportOptions{IDs: "dense"}, "0 1\n1 2\n2 1048575\n")
	smallest := regexp.MustCompile(`smallest budget for it is (\d+)MiB$`)
	for _, checkpoints := range testsize.Some([]garaph.Checkpoints{{}, {Every: 1}}, 2, 1) {
		named := map[bool]int64{} // for the job, and for parents
		for mib := int64(48); mib < 100; mib++ {
			r, err := garaph.RunWithParents(t.Context(), g, programs.BFS{Source: 0},
				garaph.RunOptions{Memory: mib << 20, Checkpoints: checkpoints}, nil)
			if err == nil {
				if mib < max(named[false], named[true]) {
					t.Errorf("%+v: %d MiB are enough, and others were asked for: %v", checkpoints, mib, named)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				continue
			}
			found := smallest.FindStringSubmatch(err.Error())
			if !errors.Is(err, garaph.ErrMemory) || found == nil || strings.Contains(err.Error(), "find the parents:") {
				t.Fatalf("%+v, %d MiB: %v", checkpoints, mib, err)
			}
			n, _ := strconv.ParseInt(found[1], 10, 64)
			parents := strings.Contains(err.Error(), "to find parents")
			if named[parents] > 0 && mib >= named[parents] {
				t.Errorf("%+v: %d MiB were said to be enough, and %d are not: %v", checkpoints, named[parents], mib, err)
			}
			named[parents] = n
		}
		if named[true] == 0 {
			t.Errorf("%+v: nothing was refused", checkpoints)
		}
	}
}
