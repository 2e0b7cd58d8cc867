package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/output"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/scratch"
)

// input is the graph of a run: a stored one, or a temporary one.
type input struct {
	graph     *garaph.Graph
	imported  *importReport // nil for a stored graph
	temporary *scratch.Dir  // nil for a stored graph
}

// openInput opens the graph that args name, or imports the edge files that they name.
func (t *task) openInput(ctx context.Context, a *app) (*input, error) {
	folder, err := graphFolder(t.args)
	if err != nil {
		return nil, err
	}
	fs := t.cmd.Flags()
	if folder == "" {
		if err := ingest.CheckInputs(t.args, a.stdin); err != nil {
			return nil, err
		}
	}
	if given := flags.Given(fs, checkpointFlagNames...); folder == "" && given != "" {
		return nil, Usagef("%s: the graph of edge files is temporary; `garaph import EDGES... GRAPH` makes one that stays",
			given)
	}
	refused := t.flags.imports.names
	if !t.program.Algorithm || t.by() != "" { // others may write temporary files
		refused = append(slices.Clip(refused), "scratch")
	}
	if given := flags.Given(fs, refused...); folder != "" && given != "" {
		return nil, Usagef("%s does not apply to %s, which is a graph, not an edge file", given, folder)
	}
	if folder == "" {
		return t.importInput(ctx, a)
	}
	g, err := garaph.Open(folder)
	if err != nil {
		return nil, err
	}
	return &input{graph: g}, nil
}

// withGraph calls f with the graph at a path.
func withGraph(path string, f func(*garaph.Graph) error) error {
	g, err := garaph.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f(g), g.Close())
}

// graphFolder returns the folder among the arguments; "" when all are edge files.
func graphFolder(args []string) (string, error) {
	for _, arg := range args {
		if !output.IsFolder(arg) {
			continue
		}
		if len(args) > 1 {
			return "", Usagef("%s is a folder: expected one graph, or edge files", arg)
		}
		return arg, nil
	}
	return "", nil
}

// importInput imports into a temporary folder.
func (t *task) importInput(ctx context.Context, a *app) (in *input, err error) {
	scratch.RemoveKilled(*t.flags.scratch, a.removedKilled)
	folder, err := scratch.New(*t.flags.scratch)
	if err != nil {
		return nil, fmt.Errorf("make a folder for the temporary graph (see --scratch): %w", err)
	}
	in = &input{temporary: folder}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close())
		}
	}()
	o := t.flags.imports.options()
	o.Threads, o.Memory, o.Storage.Rows = *t.flags.threads, *t.flags.memory, o.Storage.Rows || t.program.Algorithm
	path := folder.Graph()
	report, err := a.importGraph(ctx, t.args, path, o)
	if errors.Is(err, garaph.ErrNoSpace) {
		err = fmt.Errorf("%w; --scratch DIR names another disk for the temporary graph", err)
	}
	if err != nil {
		return in, err
	}
	report.Graph = "" // it will be gone
	in.imported = &report
	name := t.name()
	if name == ingest.StdinName {
		name = "standard input"
	}
	in.graph, err = garaph.OpenNamed(path, name)
	return in, err
}

// removedKilled reports that the temporary graph of a killed run was removed.
func (a *app) removedKilled(path string, err error) {
	if err != nil {
		a.console.Log.Warn(fmt.Sprintf("the temporary graph of a run that was killed cannot be removed: %v", err))
		return
	}
	a.console.Log.Info(fmt.Sprintf("removed %s, the temporary graph of a run that was killed", path))
}

// close closes the graph, and removes a temporary one.
func (in *input) close() error {
	var errs []error
	if in.graph != nil {
		errs = append(errs, in.graph.Close())
	}
	if in.temporary != nil {
		if err := in.temporary.Remove(); err != nil {
			errs = append(errs, fmt.Errorf("remove the temporary graph: %w", err))
		}
	}
	return errors.Join(errs...)
}

// name returns the user's name of the graph.
func (t *task) name() string { return strings.Join(t.args, " ") }
