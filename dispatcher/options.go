// Package dispatcher runs one job from start to end: it plans the memory,
// initialises the vertices, and in each iteration decides how to process, hands
// pages to an engine, commits and measures, until nothing is active.
package dispatcher

import (
	"cmp"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
)

// Mode is when new values become visible.
type Mode string

// The modes.
const (
	Sync  Mode = "sync"  // at the end of the iteration
	Async Mode = "async" // at the end of the page, to the pages after it
)

// Method is how an iteration finds the vertices to process.
type Method = policy.Method

// The methods.
const (
	Auto       = policy.Auto
	Pull       = policy.Pull
	NotifyPull = policy.NotifyPull
	Frontier   = policy.Frontier
)

// Device is where a job runs.
type Device = policy.Device

// The devices.
const (
	AutoDevice = policy.AutoDevice
	CPU        = policy.CPU
	GPU        = policy.GPU
	Hybrid     = policy.Hybrid
)

// Options configures a job. The zero value is a sync job on all processors, without a limit of
// memory or iterations.
type Options struct {
	Name       string // of the program in errors; if "", its type
	Mode       Mode
	Method     Method
	Threads    int   // if 0, GOMAXPROCS
	Memory     int64 // bytes of resident memory for the whole process; if 0, no limit
	Iterations int   // at most; if 0, until no vertex is active
	Progress   func(Iteration)
	Log        *zap.Logger // if nil, silent
	// MoreThreads, if not nil, is called with the number of goroutines that will wait for a disk or a GPU, and its result
	// when they have ended. Meanwhile the process may run as many more threads, so that these goroutines need not wait
	// for a processor.
	MoreThreads func(n int) (end func())

	Device Device // if "", AutoDevice
	GPU    GPUOptions
	Trace  Trace

	// Job records the run, which goes on from the job's newest checkpoint and leaves one when it is interrupted. If nil,
	// the run is recorded only with Checkpoints.
	Job *checkpoint.Job
	// Checkpoints says when checkpoints are written while the job runs.
	Checkpoints checkpoint.Policy

	hooks hooks
}

// Phase is a part of a job before its first iteration.
type Phase string

// Phases. Those of a GPU and of the disk occur only if needed.
const (
	Loading     Phase = "loading"            // degrees, first values or those of a checkpoint, rows
	TimingDisk  Phase = "measuring the disk" // in order and at random
	LoadingGPU  Phase = "loading the GPU"    // what stays there
	Calibrating Phase = "calibrating"        // the speeds of CPU, GPU and link
)

// GPUOptions configure the GPU of a job.
type GPUOptions struct {
	Name      string           // "0", "1" …, several as "0,1", [device.All], or "emulated"; if "", the first one
	Memory    int64            // bytes of the memory of each; if 0, all that is free
	Streams   int              // that overlap; if 0, see [gpuengine.Options]
	Gather    gpuengine.Gather // if "", auto
	Advancing gpuengine.Advancing
}

// asked reports whether an option differs from its default, which asks for a GPU.
func (o GPUOptions) asked() bool {
	if o.Gather == gpuengine.GatherAuto {
		o.Gather = ""
	}
	return o != GPUOptions{}
}

// Trace holds optional callbacks. Calls to each are serialized.
type Trace struct {
	Phase func(Phase)          // when a phase before the first iteration begins
	Page  func(PageWork)       // after each page
	Span  func(gpuengine.Span) // after a copy or a computation of a GPU
	// Queue is called before the pages of an iteration are handed out, with the number of
	// shards in them.
	Queue func(shards int)
	// GPUMemory is called when the memory of the GPUs is allocated, and when one is lost.
	GPUMemory func(bytes int64)
}

// hooks are options for tests, and that of Options.EndAt.
type hooks struct {
	open      func(name string) (device.Device, error) // instead of device.Open
	gpus      []string                                 // instead of device.Names
	speeds    policy.Speeds                            // instead of measured ones
	decided   func(policy.Event)                       // observes the policy
	pageBytes int64                                    // of page.Options
	generic   bool                                     // the loops are the generic ones, even if the program is compiled
	machine   string                                   // a folder for the figures of the machine, also of an emulated GPU
	// > 0: rows are read as they are needed, and one byte less than that of them stays
	rowsStay  int64
	end       *uint32 // see Options.EndAt
	plainRows bool    // rows in memory are unpacked, whatever the program
	// > 0: frontiers of any graph are divided among several GPUs, those with more edges
	smallFrontier uint64
}

// EngineVersion changes when engines compute values of other bits. A checkpoint can only be resumed
// by the same version.
const EngineVersion = 6

func (o *Options) check() error {
	o.Mode, o.Method, o.Device = cmp.Or(o.Mode, Sync), cmp.Or(o.Method, Auto), cmp.Or(o.Device, AutoDevice)
	switch {
	case !slices.Contains([]Mode{Sync, Async}, o.Mode):
		return fmt.Errorf("mode %q: expected %s or %s", o.Mode, Sync, Async)
	case !slices.Contains([]Method{Auto, Pull, NotifyPull, Frontier}, o.Method):
		return fmt.Errorf("method %q: expected %s, %s, %s or %s", o.Method, Auto, Pull, NotifyPull, Frontier)
	case !slices.Contains([]Device{AutoDevice, CPU, GPU, Hybrid}, o.Device):
		return fmt.Errorf("device %q: expected %s, %s, %s or %s", o.Device, AutoDevice, CPU, GPU, Hybrid)
	case !slices.Contains([]gpuengine.Gather{"", gpuengine.GatherAuto, gpuengine.GatherReplicated,
		gpuengine.GatherSegmented}, o.GPU.Gather):
		return fmt.Errorf("gather %q: expected %s, %s or %s", string(o.GPU.Gather), gpuengine.GatherAuto,
			gpuengine.GatherReplicated, gpuengine.GatherSegmented)
	case o.Memory < 0:
		return fmt.Errorf("memory %d: expected a number of bytes ≥ 0", o.Memory)
	case o.Iterations < 0:
		return fmt.Errorf("iterations %d: expected a number ≥ 0", o.Iterations)
	case (o.Device == GPU || o.Device == Hybrid) && o.Method == NotifyPull:
		return fmt.Errorf("method %s runs on the CPU only, and the device is %s", o.Method, o.Device)
	case o.Checkpoints.Pages > 0 && o.Mode != Async:
		return fmt.Errorf("checkpoints every %d pages require mode %[3]s: a %[2]s job can be saved only between iterations; "+
			"use mode %[3]s, or checkpoints by iterations or time", o.Checkpoints.Pages, o.Mode, Async)
	}
	if err := hostmem.CheckThreads(o.Threads); err != nil {
		return err
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.hooks.open == nil {
		o.hooks.open = device.Open
	}
	o.Progress = orNothing(o.Progress)
	t := &o.Trace
	t.Phase, t.Page, t.Queue, t.GPUMemory = orNothing(t.Phase), orNothing(t.Page), orNothing(t.Queue),
		orNothing(t.GPUMemory)
	return nil
}

// orNothing returns f, or a function that does nothing if f is nil.
func orNothing[T any](f func(T)) func(T) {
	if f == nil {
		f = func(T) {}
	}
	return f
}

// EndAt lets a job end as soon as the value of a vertex is final, and that of every vertex on a
// shortest path to it: of a program that is [gas.Prioritized], when all active vertices have higher
// priorities, for a vertex whose value is yet to fall is behind an active one on a path that is no
// longer; of one that is [gas.Settleable], when the vertex is settled. Others go on to their ends.
// Vertices farther away have values that are not final. GPUs do not look.
func (o *Options) EndAt(v uint32) { o.hooks.end = &v }
