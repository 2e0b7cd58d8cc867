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
)

func (a *app) verifyCommand() *cobra.Command {
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
	var found damages
	g, err := garaph.Open(path)
	switch {
	case errors.Is(err, garaph.ErrDamaged):
		found.add(err)
	case err != nil:
		return err
	default:
		bytes, found, err = a.readAll(ctx, g)
		err = errors.Join(err, g.Close())
	}
	if ctx.Err() != nil {
		return &stopped{fmt.Sprintf("the verification of %s was stopped after %s", path, bytesText(bytes)), ctx.Err()}
	}
	took := time.Since(begin)
	switch {
	case !asJSON:
		if err := found.print(a.stdout); err != nil {
			return err
		}
	case err == nil || found.count > 0:
		if err := json.NewEncoder(a.stdout).Encode(found.summary(path, bytes, took)); err != nil {
			return err
		}
	}
	switch {
	case found.count > 0:
		places := "1 place"
		if found.count > 1 {
			places = fmt.Sprintf("%d places", found.count)
		}
		return fmt.Errorf("graph %s is damaged in %s: import it again", path, places)
	case err != nil:
		return err
	}
	if asJSON {
		return nil
	}
	_, err = fmt.Fprintf(a.stdout, "sound: %s in %s (%s/s)\n", bytesText(bytes), seconds(took), bytesText(int64(perSecond(float64(bytes), took))))
	return err
}

// damages are those that were found: a graph may have millions, of which the first
// ones are reported.
type damages struct {
	first []error
	count int
}

const mostDamages = 10_000

func (d *damages) add(err error) {
	if d.count++; d.count <= mostDamages {
		d.first = append(d.first, err)
	}
}

// print lists the damages, a line each.
func (d *damages) print(w io.Writer) error {
	for _, damage := range d.first {
		if _, err := fmt.Fprintln(w, oneLine(damage)); err != nil {
			return err
		}
	}
	if more := d.count - len(d.first); more > 0 {
		if _, err := fmt.Fprintf(w, "and %d more\n", more); err != nil {
			return err
		}
	}
	return nil
}

// verified is what verify --json prints. Damages are the first mostDamages of Damaged.
type verified struct {
	Graph   string   `json:"graph"`
	Sound   bool     `json:"sound"`
	Bytes   int64    `json:"bytes"`
	Seconds float64  `json:"seconds"`
	Damaged int      `json:"damaged"`
	Damages []string `json:"damages"`
}

func (d *damages) summary(path string, bytes int64, took time.Duration) verified {
	v := verified{Graph: path, Sound: d.count == 0, Bytes: bytes, Seconds: took.Seconds(), Damaged: d.count, Damages: []string{}}
	for _, damage := range d.first {
		v.Damages = append(v.Damages, oneLine(damage))
	}
	return v
}

// readAll reads the graph, with progress, and returns the damages.
func (a *app) readAll(ctx context.Context, g *garaph.Graph) (done int64, found damages, err error) {
	c := g.Catalogue()
	var total int64
	for i := range c.Shards {
		for _, dir := range c.Sides() {
			total += c.Bytes(dir, i)
		}
	}
	s := a.console.stage("verifying", total, inBytes)
	defer s.end()
	var next int64              // a blob may have few bytes, and a text takes longer than its check
	progress := func(n int64) { // never called at once
		if done += n; done >= next {
			next = done + total>>10
			s.set(done, "")
		}
	}
	err = g.Verify(ctx, progress, found.add)
	return done, found, err
}
