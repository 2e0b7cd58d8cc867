package builtins

import (
	"errors"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/registry"
)

// either runs a program in single precision and, if that overflows, again in double precision.
func (p Program) either(job Job, e registry.Either) (*garaph.Result, error) {
	record := job.Options.Job
	if record != nil && strings.Contains(record.Record().Identity.Program, "[float64]") { // it is resumed
		return p.Run(job, e.Double)
	}
	log := job.Options.Log
	if log == nil {
		log = zap.NewNop()
	}
	if e.Single == nil {
		log.Info("single precision is too coarse: the job runs in double precision")
		return p.Run(job, e.Double)
	}
	result, err := p.Run(job, e.Single)
	var overflow *garaph.OverflowError
	if !errors.As(err, &overflow) {
		return result, err
	}
	log.Info(fmt.Sprintf("single precision is too coarse for %d of %d values: the job runs again, in double precision",
		overflow.Values, overflow.Vertices))
	if record != nil {
		if id := record.ID(); id != 0 {
			_, _ = job.Graph.RemoveJobs(id) // else it is listed as failed
		}
		job.Options.Job = job.Graph.NewJob(record.Record().Spec)
	}
	return p.Run(job, e.Double)
}
