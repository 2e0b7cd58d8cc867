package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// choices are auto, and what it is compared with.
var choices = []choice{
	{"auto", dispatcher.AutoDevice, dispatcher.Auto},
	{"gpu", dispatcher.GPU, dispatcher.Auto},
	{"hybrid", dispatcher.Hybrid, dispatcher.Auto},
	{"cpu", dispatcher.CPU, dispatcher.Auto},
	{"cpu pull", dispatcher.CPU, dispatcher.Pull},
	{"cpu notify-pull", dispatcher.CPU, dispatcher.NotifyPull},
}

// switches compares auto with every fixed choice, program by program.
func (m *hybridMeasurement) switches(ctx context.Context) error {
	m.jobs = m.report.table(Column{Name: "whole job"}, Column{Name: "choice"}, Column{Name: "seconds", text: secondsText}, Column{Name: "with loading", text: secondsText},
		Column{Name: "end"}, Column{Name: "iterations"}, Column{Name: "who did them"})
	for _, w := range m.workloads {
		if err := m.switchesOf(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// race is the jobs of one choice.
type race struct {
	hybridRun         // the fastest; seconds is 0 before the first
	least     float64 // the least time with opening and loading
	out       bool    // it runs no more
}

// switchesOf runs all choices in turn, after a job that measures the speeds of the
// devices.
func (m *hybridMeasurement) switchesOf(ctx context.Context, w workload) error {
	warm, err := m.run(ctx, fmt.Sprintf("%s, %s, warming up", switchPart, w.name), w, garaph.RunOptions{GPU: garaph.GPUOptions{Memory: m.opt.GPUMemory}}, m.opt.Limit.Seconds())
	if err != nil {
		return err
	}
	if warm.GPU == "" {
		m.report.note("%s has no room on the GPU: auto is the CPU alone", w.name)
	}
	best := math.Inf(1)
	if !warm.stopped {
		best = warm.seconds
	}
	runs := make([]race, len(choices))
	for round := range m.opt.Rounds {
		for i, c := range choices {
			x := &runs[i]
			if x.out {
				continue
			}
			name, o := m.roundName(switchPart, round, w.name+", "+c.name), garaph.RunOptions{Device: c.device, Method: c.method, GPU: garaph.GPUOptions{Memory: m.opt.GPUMemory}}
			r, err := m.run(ctx, name, w, o, m.limit(c, best))
			if errors.Is(err, garaph.ErrMemory) {
				m.report.note("%v", err)
				x.out = true
				continue
			}
			if err != nil {
				return err
			}
			x.out = r.stopped
			if x.out && x.seconds > 0 {
				continue // it was faster before
			}
			if x.seconds == 0 || r.seconds < x.seconds {
				x.hybridRun = r
			}
			if x.least == 0 || r.whole < x.least {
				x.least = r.whole
			}
			if !r.stopped {
				best = min(best, r.seconds)
			}
		}
	}
	m.judge(w.name, runs)
	return nil
}

// judge adds the jobs of a program, and compares auto with the best of the others.
func (m *hybridMeasurement) judge(program string, runs []race) {
	best := -1
	for i, x := range runs {
		if x.seconds == 0 {
			continue
		}
		end := "done"
		if x.stopped {
			end = "stopped"
		} else if i > 0 && (best < 0 || x.seconds < runs[best].seconds) {
			best = i
		}
		m.jobs.add(program, choices[i].name, one(x.seconds), one(x.least), end, len(x.Iterations), sequence(x.Iterations))
	}
	switch {
	case runs[0].stopped:
		m.report.note("auto was not done with %s after %v: it is compared with nothing", program, m.opt.Limit)
	case best > 0 && runs[0].seconds > 0:
		m.bar(fmt.Sprintf("%s: seconds of auto / %s", program, choices[best].name), runs[0].seconds/runs[best].seconds, atMost, 1.1)
	}
}

// limit is after how many seconds a job is stopped; 0: never.
func (m *hybridMeasurement) limit(c choice, best float64) float64 {
	limit := m.opt.Limit.Seconds()
	if hopeless := best + max(hopelessShare*best, hopelessSeconds); c.device != dispatcher.AutoDevice && (limit == 0 || hopeless < limit) {
		return hopeless
	}
	return limit
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
