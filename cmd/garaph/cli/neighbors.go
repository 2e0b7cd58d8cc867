package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/decimal"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// neighborsFlags holds the flags of `garaph neighbors`.
type neighborsFlags struct {
	along  *string
	limit  *int
	json   *bool
	memory *int64
}

func neighborsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "neighbors GRAPH ID [flags]",
		Short: "Print the edges of a vertex",
		Long: `Print the edges that lead to a vertex and from it, with their weights: a line for each,
in, out, or both of an undirected graph, then the other vertex, and the weight. Of parallel edges, each has a line.`,
		Example: `  garaph neighbors trains.graph Bern
  garaph neighbors web.graph 42 --along out --limit 20 --json`,
		Args:    exactly("a graph and a vertex", 2),
		Aliases: []string{"neighbours"},
	}
	fs := cmd.Flags()
	f := &neighborsFlags{
		along:  flags.Along(fs, "edges into the vertex, out of it, or both"),
		limit:  flags.Count(fs, "limit", 0, 0, "at most N edges in each direction; 0: all"),
		json:   fs.Bool("json", false, "print them as one JSON object"),
		memory: flags.Size(fs, "memory", "memory of the process (default three quarters of what is available)"),
	}
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if *f.memory == 0 {
			*f.memory = defaultMemory()
		}
		defer keepWithin(*f.memory)()
		return a.neighbors(cmd.Context(), args[0], args[1], f)
	})
	return cmd
}

// neighbors prints the edges of a vertex as they are read: there may be a hundred million.
func (a *app) neighbors(ctx context.Context, name, id string, f *neighborsFlags) (err error) {
	g, err := garaph.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	v, err := g.Vertex(id)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(a.stdout, 64<<10) // errors are kept until Flush
	p := &edgePrinter{graph: g, v: v, limit: *f.limit, out: out, json: *f.json, tty: a.stdout.TTY()}
	if p.json {
		_, _ = fmt.Fprintf(out, `{"graph":%s,"id":%s,"directions":[`, jsonText(name), jsonText(id))
	}
	var told []string
	for i, way := range waysOf(g.Catalogue(), *f.along) {
		if p.way = way; way.dir == shard.Out && g.Catalogue().Weighted && !p.weighted() {
			a.console.Log.Warn("out-edges have no weights in the layout csc")
		}
		if p.degree, p.printed = 0, 0; p.json && i > 0 {
			_ = out.WriteByte(',')
		}
		if err := algorithms.Visit(ctx, g.Store(), p, algorithms.Options{Threads: 1, Memory: *f.memory}); err != nil {
			return err
		}
		told = append(told, p.text(id))
	}
	if p.json {
		_, _ = out.WriteString("]}\n")
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, text := range told {
		a.console.Summary(text)
	}
	return nil
}

func jsonText[T string | []string](text T) []byte {
	b, _ := json.Marshal(text) // strings have no error
	return b
}

// wayOf is a direction of rows, with its name.
type wayOf struct {
	name string
	dir  shard.Direction
}

func waysOf(c *store.Catalogue, along string) []wayOf {
	in, out := wayOf{"in", shard.In}, wayOf{"out", shard.Out}
	switch {
	case c.Symmetric:
		return []wayOf{{"both", shard.Out}}
	case along == "in":
		return []wayOf{in}
	case along == "out":
		return []wayOf{out}
	}
	return []wayOf{in, out}
}

// edgePrinter prints the edges of one vertex, a direction at a time.
type edgePrinter struct {
	graph *garaph.Graph
	v     uint32
	way   wayOf
	limit int
	out   *bufio.Writer
	json  bool // or lines of text
	tty   bool

	degree, printed int
}

// neighbor is the JSON form of an edge.
type neighbor struct {
	ID     any         `json:"id"` // a number, or a name
	Weight json.Number `json:"weight,omitempty"`
}

// weighted reports whether the rows of the direction have weights.
func (p *edgePrinter) weighted() bool {
	c := p.graph.Catalogue()
	_, stored := c.WeightsOf(shard.Out)
	return c.Weighted && (stored || p.way.dir == shard.In || c.Symmetric)
}

// Plan asks for rows.
func (p *edgePrinter) Plan(*store.Catalogue, int) algorithms.Plan {
	return algorithms.Plan{Rows: []shard.Direction{p.way.dir}, Weights: p.weighted()}
}

// Visit reads the shard of the vertex, and prints its row.
func (p *edgePrinter) Visit(ctx context.Context, e *algorithms.Env) error {
	return e.Rows().EachIn(ctx, p.v, p.v+1, func(_ int, b *algorithms.Block) error {
		row := b.Row(p.way.dir, 0)
		var weights shard.Plane
		if p.weighted() {
			weights = b.Weights(p.way.dir, 0)
		}
		if p.degree = len(row); p.limit > 0 {
			row = row[:min(len(row), p.limit)]
		}
		p.printed = len(row)
		if !p.json {
			return p.row(ctx, row, weights)
		}
		_, _ = fmt.Fprintf(p.out, `{"direction":%q,"degree":%d,"edges":[`, p.way.name, p.degree)
		err := p.row(ctx, row, weights)
		_, _ = p.out.WriteString("]}")
		return err
	})
}

// row prints edges. Neighbours are ascending, so that each block of ids is read once.
func (p *edgePrinter) row(ctx context.Context, row []uint32, weights shard.Plane) error {
	ids := p.graph.Store().IDs()
	for i, u := range row {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		block, err := ids.Block(u)
		if err != nil {
			return err
		}
		var weight json.Number
		switch {
		case weights.Wide != nil:
			weight = json.Number(decimal.Format(weights.At(i), 64))
		case weights.Narrow != nil:
			weight = json.Number(decimal.Format(weights.At(i), 32))
		}
		at := int(u - block.First)
		if !p.json {
			text := p.way.name + "\t" + show.ID(block.Text(at), p.tty)
			if weight != "" {
				text += "\t" + string(weight)
			}
			_, err = p.out.WriteString(text + "\n")
		} else {
			err = p.object(i, block, at, weight)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// object prints an edge as JSON.
func (p *edgePrinter) object(i int, ids *store.IDBlock, at int, weight json.Number) error {
	if i > 0 {
		_ = p.out.WriteByte(',')
	}
	id := report.IDOf(&results.IDs{Ints: ids.Ints, Uints: ids.Uints, Strings: ids.Strings}, at)
	text, err := json.Marshal(neighbor{id, weight})
	if err == nil {
		_, err = p.out.Write(text)
	}
	return err
}

// text describes the edges of the direction.
func (p *edgePrinter) text(id string) string {
	where := map[string]string{"in": "into", "out": "out of", "both": "of"}[p.way.name]
	text := fmt.Sprintf("%s %s %s", show.Counted(int64(p.degree), "edge", "edges"), where, id)
	if more := p.degree - p.printed; more > 0 {
		text += fmt.Sprintf("; --limit leaves out %s", humanize.Comma(int64(more)))
	}
	return text
}
