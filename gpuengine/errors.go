package gpuengine

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
)

// ErrUnfit is a program that the kernels cannot run.
var ErrUnfit = errors.New("this program does not run on a GPU")

// NeedError says how much device memory a job would take. All figures are
// bytes. It is a [hostmem.ErrBudget].
type NeedError struct {
	Budget int64 // what was given
	Arrays int64 // over vertices
	Ring   int64 // of the least buffers for pages
	All    int64 // of all edges, where they are to stay
}

// Least is the smallest budget that would do.
func (e *NeedError) Least() int64 { return e.Arrays + e.Ring }

func (e *NeedError) Error() string {
	return fmt.Sprintf("%v on the GPU: the job takes %s for the arrays over vertices and %s for pages, more than %s; the smallest budget for it is %dKiB",
		hostmem.ErrBudget, humanize.IBytes(uint64(e.Arrays)), humanize.IBytes(uint64(e.Ring)), humanize.IBytes(uint64(e.Budget)), (e.Least()+1023)>>10)
}

// Is makes it a [hostmem.ErrBudget].
func (e *NeedError) Is(target error) bool { return target == hostmem.ErrBudget }
