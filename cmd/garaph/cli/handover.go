package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/store"
)

const autoDevice = string(dispatcher.AutoDevice)

// cudaBinary is garaph with CUDA. It is a binary of its own because it is linked with C,
// and so with the C library of the machine that built it.
const cudaBinary = "garaph-cuda"

// driverFiles match when an NVIDIA driver and a GPU are there: on Linux, in a
// container (/dev/nvidiactl is no proof: CUDA's library makes it without a GPU too), and
// on Linux in Windows.
var driverFiles = []string{"/proc/driver/nvidia/version", "/dev/nvidia[0-9]*", "/dev/dxg"}

func hasDriver() bool {
	for _, pattern := range driverFiles {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// hasGPU reports whether this process can have the GPU of a name; "" is any.
func hasGPU(name string) bool {
	return device.HasGPU() || strings.HasPrefix(name, device.EmulatedName)
}

// handOver replaces this process by one with CUDA and the same arguments, if a
// GPU is wanted, is there, and this binary has no CUDA. It returns when the
// command is to go on here; an error says why there is no GPU for a command that
// must have one. program is the one to run, or "".
func (a *app) handOver(on, gpu, program string) error {
	if hasGPU(gpu) || on == string(dispatcher.CPU) {
		return nil
	}
	must := on == string(dispatcher.GPU) || on == string(dispatcher.Hybrid)
	absent := device.Absent() // this binary has CUDA
	if absent == nil && !hasDriver() {
		absent = errors.New("there is no NVIDIA driver on this machine")
	}
	if absent != nil {
		if must {
			return fmt.Errorf("no GPU: %w; --gpu emulated takes an emulated one", absent)
		}
		if !hasDriver() {
			return nil
		}
	} else {
		absent = a.becomeCUDA(program)
	}
	if must {
		return fmt.Errorf("no GPU: %w", absent)
	}
	a.console.Log.Info(fmt.Sprintf("the GPU of this machine is not used: %v", absent))
	return nil
}

// edgeBytes is about how many bytes a graph's edges have, in both of its sides.
const edgeBytes = 6

// soonerOnCPU reports whether a program without flags of a GPU is likely done before this
// process has become one with CUDA, over a small graph. An algorithm is: it reads each edge once.
func (t *task) soonerOnCPU() bool {
	f := t.flags
	if *f.device != autoDevice || flags.Given(t.cmd.Flags(), gpuFlagNames...) != "" {
		return false
	}
	if t.program.Algorithm {
		return true
	}
	if t.program.Value == nil || hasGPU(*f.gpu) || !hasDriver() { // this process runs it
		return false
	}
	folder, err := graphFolder(t.args)
	if err != nil || folder == "" {
		return false
	}
	bytes, o := store.PayloadBytes(folder), t.runOptions()
	if bytes == 0 || t.program.Timed && o.Iterations == 0 {
		return false
	}
	return dispatcher.SoonerOnCPU(t.program.Value, uint64(bytes)/edgeBytes, o.Iterations, o.Threads)
}

// becomeCUDA returns only when it cannot.
func (a *app) becomeCUDA(program string) error {
	switch {
	case a.exec == nil:
		return errors.New("this build of garaph has no CUDA")
	case a.own[program]:
		return fmt.Errorf("%s is not a program of %s: build this command with the tag cuda", program, cudaBinary)
	}
	path, err := findCUDA()
	if err != nil {
		return err
	}
	return fmt.Errorf("start %s: %w", path, a.exec(path, append([]string{cudaBinary}, a.args...), os.Environ()))
}

// findCUDA looks for the binary with CUDA beside this one, then on the PATH.
func findCUDA() (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), cudaBinary)); err == nil {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(cudaBinary)
	if err != nil {
		return "", fmt.Errorf("%s, which is garaph with CUDA, is neither beside garaph nor on the PATH", cudaBinary)
	}
	return path, nil
}
