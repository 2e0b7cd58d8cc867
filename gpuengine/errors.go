package gpuengine

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/store"
)

// ErrUnfit is returned for a program that the kernels cannot run.
var ErrUnfit = errors.New("this program does not run on a GPU")

// NeedError is the error of a job that exceeds the budget of device memory. Figures are bytes. It
// matches [hostmem.ErrBudget].
type NeedError struct {
	Budget int64 // what was given
	Arrays int64 // over vertices
	Ring   int64 // of the least buffers for pages
	All    int64 // of all edges, where they are to stay
}

// Least returns the smallest budget that suffices.
func (e *NeedError) Least() int64 { return e.Arrays + e.Ring }

func (e *NeedError) Error() string {
	return fmt.Sprintf("%v on the GPU: the job takes %s for the arrays over vertices and %s for pages, more than %s; "+
		"the smallest budget for it is %dKiB",
		hostmem.ErrBudget, humanize.IBytes(uint64(e.Arrays)), humanize.IBytes(uint64(e.Ring)),
		humanize.IBytes(uint64(e.Budget)), (e.Least()+1023)>>10)
}

// Is reports whether target is [hostmem.ErrBudget].
func (e *NeedError) Is(target error) bool { return target == hostmem.ErrBudget }

// Least returns the least device memory that a job needs, from the error of [New] with a budget of
// one byte.
func Least[V, A any](d device.Device, p gas.Program[V, A], a *vertices.Arrays[V], cat *store.Catalogue,
	o Options) (need *NeedError, err error) {
	o.Memory = 1
	e, err := New(d, p, a, cat, o)
	if errors.As(err, &need) {
		return need, nil
	}
	if err == nil {
		err = errors.Join(errors.New("a job in a byte of the GPU's memory"), e.Close())
	}
	return nil, err
}
