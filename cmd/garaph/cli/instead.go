package cli

import (
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/dispatcher"
)

// instead returns the task with the algorithm of the same results in place of the vertex program,
// where the command asks for nothing that only the program has: iterations, how they are done,
// what they look like, checkpoints, or a GPU. A job that is resumed goes on as it began. Under auto
// a GPU that is there does not count: it gets the edges later than the CPU is done with them.
func (t *task) instead(a *app) *task {
	onGPU := *t.flags.device != string(dispatcher.CPU) && *t.flags.device != autoDevice
	if t.program.Instead == nil || a.resumed != nil || onGPU ||
		given(t.cmd.Flags(), programFlagNames) != "" || given(t.cmd.Flags(), gpuFlagNames) != "" {
		return t
	}
	by := *t
	by.program.Algorithm = true
	by.runner = t.program.Instead.Setup(pflag.NewFlagSet("", pflag.ContinueOnError))
	return &by
}

// by is the algorithm that runs in place of the program; "": none does.
func (t *task) by() string {
	if t.program.Algorithm && t.program.Instead != nil {
		return t.program.Instead.Name
	}
	return ""
}
