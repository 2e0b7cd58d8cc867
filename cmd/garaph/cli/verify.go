package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/console"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
)

func verifyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify GRAPH",
		Short: "Read all of a graph and list what is damaged",
		Args:  exactly("one graph", 1),
	}
	asJSON := cmd.Flags().Bool("json", false, "print what was found as one JSON object")
	cmd.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		return a.verify(cmd.Context(), args[0], *asJSON)
	})
	return cmd
}

// verify prints each damage, or that there is none.
func (a *app) verify(ctx context.Context, path string, asJSON bool) error {
	begin := time.Now()
	var bytes int64
	v := verified{Graph: path, Damages: []string{}}
	g, err := garaph.Open(path)
	switch {
	case errors.Is(err, garaph.ErrDamaged):
		v.add(err)
	case err != nil:
		return err
	default:
		bytes, err = a.readAll(ctx, g, v.add)
		err = errors.Join(err, g.Close())
	}
	if ctx.Err() != nil {
		return &stopped{fmt.Sprintf("the verification of %s was stopped after %s", path, show.Bytes(bytes)), ctx.Err()}
	}
	if err != nil && v.Damaged == 0 {
		return err
	}
	took := time.Since(begin)
	v.Sound, v.Bytes, v.Seconds = v.Damaged == 0, bytes, took.Seconds()
	if asJSON {
		err = json.NewEncoder(a.stdout).Encode(v)
	} else {
		err = v.print(a.stdout)
	}
	if err == nil && !v.Sound {
		err = fmt.Errorf("graph %s is damaged in %s: import it again",
			path, show.Counted(int64(v.Damaged), "place", "places"))
	}
	return err
}

// verified is the report of verify as JSON. Damages are the first mostDamages of Damaged: a graph may have millions.
type verified struct {
	Graph   string   `json:"graph"`
	Sound   bool     `json:"sound"`
	Bytes   int64    `json:"bytes"`
	Seconds float64  `json:"seconds"`
	Damaged int      `json:"damaged"`
	Damages []string `json:"damages"`
}

const mostDamages = 10_000

func (v *verified) add(err error) {
	if v.Damaged++; v.Damaged <= mostDamages {
		v.Damages = append(v.Damages, show.OneLine(err))
	}
}

// print prints a line for each damage, or that there is none.
func (v *verified) print(w io.Writer) error {
	lines := v.Damages
	if more := v.Damaged - len(v.Damages); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	if v.Sound {
		took := time.Duration(v.Seconds * float64(time.Second))
		lines = []string{fmt.Sprintf("sound: %s in %s (%s/s)",
			show.Bytes(v.Bytes), show.Seconds(took), show.Bytes(int64(show.PerSecond(float64(v.Bytes), took))))}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads the graph, with progress, and reports damages to found.
func (a *app) readAll(ctx context.Context, g *garaph.Graph, found func(error)) (done int64, err error) {
	c := g.Catalogue()
	var total int64
	for i := range c.Shards {
		for _, dir := range c.Sides() {
			total += c.Bytes(dir, i)
		}
	}
	s := a.console.Stage("verifying", total, console.InBytes)
	defer s.End()
	var next int64              // a blob may have few bytes, and a text takes longer than its check
	progress := func(n int64) { // calls do not overlap
		if done += n; done >= next {
			next = done + total>>10
			s.Set(done, "")
		}
	}
	err = g.Verify(ctx, progress, found)
	return done, err
}
