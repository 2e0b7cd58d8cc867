package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
)

func (a *app) upgradeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upgrade GRAPH",
		Short: "Rewrite a graph of an older version, or of another layout, as packed",
		Long: `Rewrite a graph of an older version, or of the layout csc, as a new import would make
it; of a packed one, compress the degrees and copy the rest. With --rows, also add rows
of in-edges to a packed graph. Ids stay, and so do
results but for the order in which floats are added up and for what a tolerance ignores,
so that a job with one may end an iteration sooner or later. The jobs of the old graph go with it. It stands there until the new one is whole, so the disk needs room for both.`,
		Args: exactly("one graph", 1),
	}
	var o garaph.UpgradeOptions
	cmd.Flags().BoolVar(&o.Force, "force", false, "also when unfinished jobs of the graph are lost; refused while one is running")
	cmd.Flags().BoolVar(&o.Rows, "rows", false, "store rows of in-edges too: frontiers along them are read from disk")
	threads := threadsFlag(cmd.Flags())
	memory := sizeFlag(cmd.Flags(), "memory", "memory of the process, at least 188MiB (default half of what is available)")
	asJSON := cmd.Flags().Bool("json", false, "print the report as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		defer keepWithin(*memory)()
		o.Threads, o.Memory = *threads, *memory
		return a.upgrade(cmd.Context(), args[0], o, *asJSON)
	})
	return cmd
}

// upgrade upgrades, with progress and a summary.
func (a *app) upgrade(ctx context.Context, path string, o garaph.UpgradeOptions, asJSON bool) error {
	a.console.begin("upgrade of " + path)
	p := &phases{console: a.console}
	o.Progress, o.Log = importPhases(p), a.console.log
	r, err := garaph.Upgrade(ctx, path, o)
	p.end()
	switch {
	case errors.Is(err, garaph.ErrPacked):
		a.console.summary(err.Error() + ": there is nothing to upgrade")
		if !asJSON {
			return nil
		}
	case err != nil && ctx.Err() != nil:
		return &stopped{fmt.Sprintf("the upgrade of %s was stopped, and the graph is as it was", path), err}
	case errors.Is(err, garaph.ErrResumable):
		return fmt.Errorf("%w, or lose them with --force", err)
	case err != nil:
		return err
	}
	report := upgradeReport{Graph: path}
	if err == nil {
		report = upgradeReport{
			Graph: path, Upgraded: true, Vertices: r.Vertices, Edges: r.Edges, Bytes: r.Bytes, BytesPerEdge: float64(r.Bytes) / float64(max(r.Edges, 1)),
			Seconds: r.Seconds, PeakMemory: peakMemory(),
		}
		a.console.summary(fmt.Sprintf("upgraded %s and %s in %s: %s edges/s, %s on disk, %.2f bytes per edge",
			counted(int64(r.Vertices), "vertex", "vertices"), counted(int64(r.Edges), "edge", "edges"), seconds(r.Duration),
			countText(perSecond(float64(r.Edges), r.Duration)), bytesText(r.Bytes), report.BytesPerEdge))
	}
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(report)
	}
	return nil
}

// upgradeReport is an upgrade as JSON; only Graph is set when there was nothing to do.
type upgradeReport struct {
	Graph        string  `json:"graph"`
	Upgraded     bool    `json:"upgraded"`
	Vertices     uint32  `json:"vertices,omitempty"`
	Edges        uint64  `json:"edges,omitempty"`
	Bytes        int64   `json:"disk_bytes,omitempty"`
	BytesPerEdge float64 `json:"bytes_per_edge,omitempty"`
	Seconds      float64 `json:"seconds,omitempty"`
	PeakMemory   int64   `json:"peak_rss_bytes,omitempty"`
}
