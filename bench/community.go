package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
)

// CommunityOptions say which community queries are measured, and how.
type CommunityOptions struct {
	Queries   int // random vertices
	Seed      uint64
	MinCore   int // least core number of a query vertex
	Low, High int
	Limit     time.Duration // for each query
	Threads   []int         // a run over all queries for each number
	Memory    int64
	GPU       *string            // and one on this GPU, all queries in batches; nil: none
	Progress  func(doing string) // before each run
}

// CommunityRun is a run over all queries.
type CommunityRun struct {
	Name     string  `json:"name"`
	Threads  int     `json:"threads"`
	Proven   int     `json:"proven"`
	Degrees  int     `json:"sum_of_minimum_degrees"`
	Seconds  float64 `json:"seconds"` // of all searches and their preparation
	Longest  float64 `json:"longest_seconds"`
	Median   float64 `json:"median_seconds"`
	Prepare  float64 `json:"prepare_seconds"` // of the graph
	Start    int     `json:"start_is_optimum"`
	Branches int64   `json:"branches"`
}

// CommunityReport is what was measured.
type CommunityReport struct {
	Queries int            `json:"queries"`
	Runs    []CommunityRun `json:"runs"`
}

// MeasureCommunities answers random queries.
func MeasureCommunities(ctx context.Context, g *garaph.Graph, o CommunityOptions) (*CommunityReport, error) {
	queries, err := drawQueries(ctx, g, o)
	if err != nil {
		return nil, err
	}
	r := &CommunityReport{Queries: len(queries)}
	device, gpu := algorithms.CPU, ""
	run := func(name string, threads int) error {
		o.Progress(fmt.Sprintf("%s, %d threads", name, threads))
		c := CommunityRun{Name: name, Threads: threads}
		var took []float64
		begin := time.Now()
		options := garaph.CommunityOptions{Threads: threads, Memory: o.Memory, TimeLimit: o.Limit, Device: device, GPU: gpu}
		report, err := garaph.FindCommunities(ctx, g, queries, options, func(_ int, a *garaph.Community) error {
			c.add(a)
			took = append(took, (a.Prepare + a.Search).Seconds())
			return nil
		})
		if err != nil {
			return err
		}
		slices.Sort(took)
		c.Seconds = (time.Since(begin) - report.Prepare).Seconds()
		c.Prepare, c.Median, c.Longest = report.Prepare.Seconds(), took[len(took)/2], took[len(took)-1]
		r.Runs = append(r.Runs, c)
		return nil
	}
	for _, threads := range o.Threads {
		if err := run("on the CPU", threads); err != nil {
			return r, err
		}
	}
	if o.GPU != nil {
		device, gpu = algorithms.GPU, *o.GPU
		if err := run("on a GPU", slices.Max(o.Threads)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// add adds an answer.
func (c *CommunityRun) add(a *garaph.Community) {
	if a.Proven {
		c.Proven++
	}
	if a.Proven && a.Start == a.MinDegree {
		c.Start++
	}
	c.Degrees += a.MinDegree
	c.Branches += a.Branches
}

// drawQueries draws vertices of a large enough core number.
func drawQueries(ctx context.Context, g *garaph.Graph, o CommunityOptions) ([]garaph.CommunityQuery, error) {
	o.Progress("core numbers")
	cores, err := algorithms.Run(ctx, g.Store(), algorithms.Coreness{}, algorithms.Options{Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	defer cores.Close()
	var vertices []uint32
	for v, k := range cores.Values {
		if k >= int64(o.MinCore) {
			vertices = append(vertices, uint32(v))
		}
	}
	if len(vertices) == 0 {
		return nil, errors.New("no vertex has that core number: give a smaller one")
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	var queries []garaph.CommunityQuery
	for range o.Queries {
		queries = append(queries, garaph.CommunityQuery{Vertex: vertices[random.IntN(len(vertices))], Low: o.Low, High: o.High})
	}
	return queries, nil
}

// WriteTable writes the runs.
func (r *CommunityReport) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%d queries\tthreads\tproven\tfirst is optimum\tsum of degrees\tbranches\tseconds\tmedian\tlongest\tgraph\n", r.Queries)
	for _, c := range r.Runs {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%.2f\t%.4f\t%.2f\t%.2f\n", c.Name, c.Threads, c.Proven, c.Start, c.Degrees, c.Branches, c.Seconds, c.Median, c.Longest, c.Prepare)
	}
	return t.Flush()
}
