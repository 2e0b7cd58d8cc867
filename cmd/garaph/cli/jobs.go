package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/flags"
)

func jobsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "jobs GRAPH [flags]",
		Short: "List the runs over a graph, or remove some",
		Long: `List the runs over a graph: those that are running, those that can be resumed,
and the last ones that are done. Iterations are those that were done when the job
last noted it; saved are those in its newest checkpoint, after which resume goes on.`,
		Example: `  garaph jobs web.graph
  garaph jobs rm web.graph 3`,
		Args: exactly("one graph", 1),
	}
	asJSON := cmd.Flags().Bool("json", false, "print them as JSON, one object")
	cmd.RunE = a.job(func(_ *cobra.Command, args []string) error {
		list, err := jobsOf(args[0])
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(a.stdout).Encode(jobsReport{list})
		}
		if len(list) == 0 {
			a.console.Summary(fmt.Sprintf("graph %s has no jobs", show.Printable(args[0])))
		}
		return a.printJobs(list)
	})
	rm := &cobra.Command{
		Use:   "rm GRAPH JOB... | GRAPH [--older-than TIME] [--done]",
		Short: "Remove jobs and their checkpoints",
		Long: `Remove jobs and their checkpoints: those of the given numbers, or those that match
all of the flags, of which running ones are none. A new job has the number after the highest of
those that are there, so that the number of the last one is given again when it is removed.`,
		Example: `  garaph jobs rm web.graph 3
  garaph jobs rm web.graph --older-than 30d --done`,
		Args: cobra.MinimumNArgs(1),
	}
	which := jobFilter{
		older: flags.Duration(rm.Flags(), "older-than", "remove jobs that have not changed for TIME, such as 12h or 30d"),
		done:  rm.Flags().Bool("done", false, "remove jobs that are done"),
	}
	rm.RunE = a.job(func(cmd *cobra.Command, args []string) error {
		names := flags.Given(cmd.Flags(), "older-than", "done")
		switch {
		case names == "" && len(args) == 1:
			return Usagef("expected the numbers of jobs, --older-than or --done")
		case names != "" && len(args) > 1:
			return Usagef("%s does not apply to jobs given by number", names)
		case names != "":
			return a.removeMatching(args[0], which)
		}
		return a.removeJobs(args[0], args[1:])
	})
	cmd.AddCommand(rm)
	return cmd
}

// jobsReport is `garaph jobs` as JSON.
type jobsReport struct {
	Jobs []jobInfo `json:"jobs"`
}

// jobInfo is a job as it is listed.
type jobInfo struct {
	Job        int               `json:"job"`
	Program    string            `json:"program"`
	State      checkpoint.Status `json:"state"`
	Iterations int               `json:"iterations"`
	Saved      *int              `json:"saved_iterations,omitempty"` // nil if unknown, or it cannot be resumed
	Epochs     []int             `json:"checkpoints"`
	Created    time.Time         `json:"created,omitzero"`
	Updated    time.Time         `json:"updated,omitzero"`
	Flags      map[string]string `json:"flags,omitempty"`
	Output     string            `json:"output,omitempty"`
	Error      string            `json:"error,omitempty"`
}

func jobsOf(path string) ([]jobInfo, error) {
	var jobs []checkpoint.Listed
	err := withGraph(path, func(g *garaph.Graph) (err error) {
		jobs, err = g.Jobs()
		return err
	})
	if err != nil {
		return nil, err
	}
	list := []jobInfo{}
	for _, j := range jobs {
		info := jobInfo{
			Job: j.ID, Program: j.Name, State: j.Status, Iterations: j.Iteration, Epochs: j.Epochs,
			Created: j.Created, Updated: j.Updated, Flags: j.Flags, Output: j.Output, Error: j.Error,
		}
		switch {
		case errors.Is(j.Err, checkpoint.ErrVersion):
			info.State, info.Error = "other version", j.Err.Error()
		case j.Err != nil:
			info.State, info.Error = "damaged", j.Err.Error()
		case j.Error != "": // and if it is done, for good
			info.State = checkpoint.Failed
		}
		if saved, known := j.Saved(); known && (j.Unfinished() || j.Err == nil && j.Status == checkpoint.Running) {
			info.Saved = &saved
		}
		if info.Epochs == nil {
			info.Epochs = []int{}
		}
		list = append(list, info)
	}
	return list, nil
}

func (a *app) printJobs(list []jobInfo) error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if len(list) > 0 {
		fmt.Fprintln(table, "job\tprogram\tstate\titerations\tcheckpoints\tsaved\tbegan\toutput\terror")
	}
	for _, j := range list {
		began, saved := "", "-"
		if !j.Created.IsZero() {
			began = j.Created.Local().Format(time.DateTime)
		}
		if j.Saved != nil {
			saved = strconv.Itoa(*j.Saved)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%d\t%s\t%s\t%s", j.Job, show.Printable(j.Program), j.State, j.Iterations,
			len(j.Epochs), saved, began, show.Printable(j.Output))
		if j.Error != "" {
			fmt.Fprint(table, "\t"+show.OneLine(errors.New(j.Error)))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// jobFilter selects jobs to remove.
type jobFilter struct {
	older *time.Duration
	done  *bool
}

// matches reports whether a job is one that is removed at a time.
func (f jobFilter) matches(j *jobInfo, now time.Time) bool {
	long := *f.older == 0 || !j.Updated.IsZero() && now.Sub(j.Updated) >= *f.older
	return long && (j.State == checkpoint.Done || !*f.done && j.State != checkpoint.Running)
}

// removeMatching removes the jobs of a filter.
func (a *app) removeMatching(path string, which jobFilter) error {
	list, err := jobsOf(path)
	if err != nil {
		return err
	}
	var numbers []string
	for i := range list {
		if which.matches(&list[i], time.Now()) {
			numbers = append(numbers, strconv.Itoa(list[i].Job))
		}
	}
	if len(numbers) == 0 {
		a.console.Summary(fmt.Sprintf("no job of %s matches", show.Printable(path)))
		return nil
	}
	return a.removeJobs(path, numbers)
}

// removeJobs removes jobs of the graph at path; none where one of them is not there.
func (a *app) removeJobs(path string, args []string) error {
	var ids []int
	for _, arg := range args {
		id, err := jobID(arg)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	return withGraph(path, func(g *garaph.Graph) error {
		removed, err := g.RemoveJobs(ids...)
		for _, id := range removed {
			a.console.Summary(fmt.Sprintf("removed job %d of %s", id, path))
		}
		return err
	})
}
