package build

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/store"
)

// reportJobs logs the jobs that are removed when an import replaces the graph at path.
func reportJobs(path string, log *zap.Logger) {
	jobs := filepath.Join(path, store.JobsDir)
	list, err := checkpoint.List(jobs)
	if err != nil || len(list) == 0 || checkpoint.Idle(jobs) != nil {
		return // its end meets the error
	}
	level, done := zap.InfoLevel, 0
	var names []string
	for _, l := range list {
		switch {
		case errors.Is(l.Err, checkpoint.ErrVersion):
			level, names = zap.WarnLevel, append(names, fmt.Sprintf("%d (recorded by another version of garaph)", l.ID))
		case l.Err != nil:
			level, names = zap.WarnLevel, append(names, fmt.Sprintf("%d (damaged)", l.ID))
		case l.Status == checkpoint.Done:
			done++
		default:
			level, names = zap.WarnLevel, append(names, fmt.Sprintf("%d (%s, %s)", l.ID, l.Name, l.Status))
		}
	}
	if done > 0 {
		names = append(names, fmt.Sprintf("%d done", done))
	}
	log.Log(level,
		fmt.Sprintf("the import replaces the graph at %s and removes its jobs: %s", path, strings.Join(names, ", ")))
}
