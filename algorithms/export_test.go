package algorithms

import "github.com/garaph/garaph/gpuengine/device"

// SetOpen lets a run open its device otherwise.
func (o *Options) SetOpen(open func(name string) (device.Device, error)) { o.open = open }
