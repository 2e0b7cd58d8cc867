package dispatcher

import "github.com/garaph/garaph/gpuengine"

// SetOpen lets a job open its device otherwise.
func (o *Options) SetOpen(open func(name string) (gpuengine.Device, error)) { o.open = open }
