package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
)

// A job other than auto is stopped, and not run again, when it has taken hopelessShare of the
// best one's time longer than that, and hopelessSeconds at least.
const (
	hopelessShare   = 0.5
	hopelessSeconds = 1
)

// choice is a choice of device and method.
type choice struct {
	name   string
	device dispatcher.Device
	method dispatcher.Method
}

// choices are auto, and what it is held against.
var choices = []choice{
	{"auto", dispatcher.AutoDevice, dispatcher.Auto},
	{"gpu", dispatcher.GPU, dispatcher.Auto},
	{"hybrid", dispatcher.Hybrid, dispatcher.Auto},
	{"cpu", dispatcher.CPU, dispatcher.Auto},
	{"cpu pull", dispatcher.CPU, dispatcher.Pull},
	{"cpu notify-pull", dispatcher.CPU, dispatcher.NotifyPull},
}

// switches holds auto against every fixed choice, program by program.
func (m *hybridMeasurement) switches(ctx context.Context) error {
	for _, w := range m.workloads {
		if err := m.switchesOf(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// switchesOf runs all choices in turn, after a job that measures the speeds of the
// devices.
func (m *hybridMeasurement) switchesOf(ctx context.Context, w workload) error {
	warm, err := m.run(ctx, fmt.Sprintf("%s, %s, warming up", switchPart, w.name), w, garaph.RunOptions{GPUMemory: m.opt.GPUMemory}, m.opt.Limit.Seconds())
	if err != nil {
		return err
	}
	if warm.GPU == "" {
		m.report.note(w.name + " has no room on the GPU: auto is the CPU alone")
	}
	best := math.Inf(1)
	if !warm.stopped {
		best = warm.seconds
	}
	s := Switch{Program: w.name, Runs: make([]SwitchRun, len(choices))}
	seconds, whole := make([][]float64, len(choices)), make([][]float64, len(choices))
	out := make([]bool, len(choices)) // of the race
	for round := range m.opt.Rounds {
		for i, c := range choices {
			if out[i] {
				continue
			}
			name, o := m.roundName(switchPart, round, w.name+", "+c.name), garaph.RunOptions{Device: c.device, Method: c.method, GPUMemory: m.opt.GPUMemory}
			r, err := m.run(ctx, name, w, o, m.limit(c, best))
			if errors.Is(err, garaph.ErrMemory) {
				m.report.note(err.Error())
				out[i] = true
				continue
			}
			if err != nil {
				return err
			}
			x := &s.Runs[i]
			if out[i] = r.stopped; r.stopped && len(seconds[i]) > 0 {
				continue // it was faster before
			}
			seconds[i], whole[i], x.Stopped = append(seconds[i], r.seconds), append(whole[i], r.whole), r.stopped
			if r.seconds == slices.Min(seconds[i]) {
				x.Iterations, x.Did = len(r.Iterations), sequence(r.Iterations)
			}
			if !r.stopped {
				best = min(best, r.seconds)
			}
		}
	}
	for i, c := range choices {
		s.Runs[i].Choice, s.Runs[i].Seconds, s.Runs[i].Whole = c.name, spread(seconds[i]), spread(whole[i])
	}
	if s.Runs[0].Stopped {
		m.report.note(fmt.Sprintf("auto was not done with %s after %v: it is held against nothing", w.name, m.opt.Limit))
	} else {
		s.judge()
	}
	m.report.Switches = append(m.report.Switches, s)
	return nil
}

// limit is after how many seconds a job is stopped; 0: never.
func (m *hybridMeasurement) limit(c choice, best float64) float64 {
	limit := m.opt.Limit.Seconds()
	if hopeless := best + max(hopelessShare*best, hopelessSeconds); c.device != dispatcher.AutoDevice && (limit == 0 || hopeless < limit) {
		return hopeless
	}
	return limit
}

// judge holds auto against the best of the others.
func (s *Switch) judge() {
	for _, x := range s.Runs[1:] {
		if x.Seconds == nil || x.Stopped {
			continue
		}
		if ratio := s.Runs[0].Seconds.Min / x.Seconds.Min; s.Best == "" || ratio > *s.OfBest {
			s.Best, s.OfBest = x.Choice, &ratio
		}
	}
}

// mostSteps is how many steps of a sequence are written.
const mostSteps = 8

// sequence writes what each iteration was done by: C is the CPU, G the GPU, H
// both, and N stands for notify-pull.
func sequence(list []garaph.Iteration) string {
	var steps []string
	for i := 0; i < len(list); {
		step := did(list[i])
		from := i
		for i < len(list) && did(list[i]) == step {
			i++
		}
		if n := i - from; n > 1 {
			step += fmt.Sprintf(" ×%d", n)
		}
		steps = append(steps, step)
	}
	if more := len(steps) - mostSteps; more > 0 {
		steps = append(steps[:mostSteps], fmt.Sprintf("… %d more changes", more))
	}
	return strings.Join(steps, ", ")
}

// letters stand for devices.
var letters = map[dispatcher.Device]string{dispatcher.CPU: "C", dispatcher.GPU: "G", dispatcher.Hybrid: "H"}

func did(it garaph.Iteration) string {
	if it.Method == dispatcher.NotifyPull {
		return letters[it.Device] + " N"
	}
	return letters[it.Device]
}
