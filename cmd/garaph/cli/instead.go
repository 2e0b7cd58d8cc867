package cli

import (
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/dispatcher"
)

// instead returns the task with the algorithm of the same results in place of the vertex program,
// where the command asks for nothing that only the program has: iterations, how they are done,
// what they look like, checkpoints, or a GPU. A job that is resumed goes on as it began.
func (t *task) instead(a *app) *task {
	onCPU := *t.flags.device == string(dispatcher.CPU) ||
		*t.flags.device == autoDevice && (t.soonerOnCPU() || !hasGPU(*t.flags.gpu) && !hasDriver())
	if t.program.Instead == nil || a.resumed != nil || !onCPU ||
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
