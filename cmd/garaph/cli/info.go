package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/store"
)

func infoCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "info GRAPH [flags]",
		Short: "Describe a graph",
		Long: `Describe a graph. --degrees adds how many edges vertices have, as they are stored:
edges into a vertex, out of it, and both together; of an undirected graph, one
number. Half of the vertices have the median or fewer, 99 % what stands there or
fewer. Then come the vertices of each range of degrees, and their share. --report
writes that as a page with plots.`,
		Args: exactly("one graph", 1),
	}
	asJSON := cmd.Flags().Bool("json", false, "print it as one JSON object")
	degrees := cmd.Flags().Bool("degrees", false, "also print the distribution of degrees")
	page := cmd.Flags().String("report", "",
		"write the degrees to this `FILE`, as an HTML page with plots; with --degrees")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		if err := checkFileName(cmd.Flags(), "report"); err != nil {
			return err
		}
		if *page != "" {
			if !*degrees {
				return Usagef("--report requires --degrees")
			}
			if err := output.CheckBeside("the report", *page, args); err != nil {
				return err
			}
		}
		i, err := describe(cmd.Context(), args[0], *degrees)
		if err == nil && *page != "" {
			err = i.writePage(*page)
		}
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(i)
		}
		return i.print(a.stdout)
	})
	return cmd
}

// graphInfo describes a graph.
type graphInfo struct {
	Graph     string `json:"graph"`
	Vertices  uint32 `json:"vertices"`
	Edges     uint64 `json:"edges"`
	Weighted  bool   `json:"weighted"`
	Wide      bool   `json:"wide,omitempty"` // weights are stored as float64
	Symmetric bool   `json:"symmetric"`
	Mirrored  bool   `json:"mirrored"` // directed, and every edge has its reverse
	IDs       idInfo `json:"ids"`
	storedInfo
	Fingerprint string    `json:"fingerprint"`
	Created     time.Time `json:"created"`
	Source      []string  `json:"source"`
	// Degrees are there if they were asked for.
	Degrees []report.Degrees `json:"degrees,omitempty"`
}

// storedInfo describes a graph on the disk.
type storedInfo struct {
	Layout       string  `json:"layout"`
	Order        string  `json:"order"`
	Shards       int     `json:"shards"`
	Bytes        int64   `json:"disk_bytes"`
	BytesPerEdge float64 `json:"bytes_per_edge"`
	// Sides holds the bytes per edge of each side, without the data behind its blobs.
	Sides []sideInfo `json:"sides"`
}

type sideInfo struct {
	Side         string  `json:"side"`
	BytesPerEdge float64 `json:"bytes_per_edge"`
}

type idInfo struct {
	Kind  string `json:"kind"`
	First string `json:"first"`
	Last  string `json:"last"`
	// Python is the word in the file in which the Python package has the ids for which these stand.
	Python string `json:"python,omitempty"`
}

func describe(ctx context.Context, path string, degrees bool) (i graphInfo, err error) {
	g, err := garaph.Open(path)
	if err != nil {
		return i, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	c := g.Catalogue()
	i = graphInfo{
		Graph: path, Vertices: c.Vertices, Edges: c.Edges, Weighted: c.Weighted, Wide: c.Wide,
		Symmetric: c.Symmetric, Mirrored: c.Mirrored,
		IDs: idInfo{Kind: string(c.IDs.Kind), Python: c.PythonIDs}, storedInfo: storedInfo{
			Layout: string(cmp.Or(c.Layout, store.CSC)), Order: string(c.Order()), Shards: len(c.Shards),
		},
		Fingerprint: c.Fingerprint, Created: c.Created, Source: c.Source,
	}
	if c.Vertices == 0 {
		return i, nil
	}
	if i.IDs.First, err = g.ID(0); err != nil {
		return i, err
	}
	if i.IDs.Last, err = g.ID(gas.VertexID(c.Vertices - 1)); err != nil {
		return i, err
	}
	for _, dir := range c.Sides() {
		var n int64
		for k := range c.Shards {
			n += c.Bytes(dir, k)
		}
		i.Sides = append(i.Sides, sideInfo{dir.String(), float64(n) / float64(max(c.Edges, 1))})
	}
	if degrees {
		if i.Degrees, err = report.DescribeDegrees(ctx, g); err != nil {
			return i, err
		}
	}
	i.Bytes = g.Store().DiskBytes()
	i.BytesPerEdge = float64(i.Bytes) / float64(max(c.Edges, 1))
	return i, nil
}

func (i graphInfo) print(w *output.Stdout) error {
	ids, symmetric := store.IDKind(i.IDs.Kind).Words(), yes(i.Symmetric)
	if i.Vertices > 0 {
		ids += fmt.Sprintf(", from %s to %s", i.IDs.First, i.IDs.Last)
	}
	if i.Mirrored {
		symmetric = "no, but every edge has its reverse"
	}
	var sides []string
	for _, s := range i.Sides {
		sides = append(sides, fmt.Sprintf("%s, %.2f bytes per edge", s.Side, s.BytesPerEdge))
	}
	weighted := yes(i.Weighted)
	if i.Wide {
		weighted += ", in double precision"
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"graph", i.Graph},
		{"vertices", humanize.Comma(int64(i.Vertices))},
		{"edges", humanize.Comma(int64(i.Edges))},
		{"weighted", weighted},
		{"symmetric", symmetric},
		{"layout", i.Layout + ", vertices in the order of " +
			map[string]string{"input": "ids", "degree": "degrees"}[i.Order]},
		{"sides", strings.Join(sides, "; ")},
		{"ids", ids},
		{"shards", humanize.Comma(int64(i.Shards))},
		{"on disk", fmt.Sprintf("%s, %.2f bytes per edge", show.Bytes(i.Bytes), i.BytesPerEdge)},
		{"fingerprint", i.Fingerprint},
		{"created", i.Created.Local().Format(time.DateTime)},
		{"source", strings.Join(i.Source, ", ")},
	} {
		fmt.Fprintf(table, "%s\t%s\n", line[0], show.Printable(line[1])) // errors are kept until Flush
	}
	if err := table.Flush(); err != nil || i.Degrees == nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return report.PrintDegrees(w, i.Degrees)
}

// writePage writes the page of how degrees are distributed.
func (i graphInfo) writePage(path string) error {
	section := report.DegreesSection([]htmlreport.Fact{
		{"Vertices", humanize.Comma(int64(i.Vertices))}, {"Edges", humanize.Comma(int64(i.Edges))},
		{"Fingerprint", i.Fingerprint},
	}, i.Degrees)
	page := htmlreport.Page{Title: "Degrees of " + i.Graph, Sections: []htmlreport.Section{section}}
	return output.WriteWhole(path, true, func(w io.Writer) error { return htmlreport.Write(w, page) })
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
