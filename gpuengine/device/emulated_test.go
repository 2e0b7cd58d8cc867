package device

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

// workbench is a device with a stream, an event, and 1000 bytes on either side.
type workbench struct {
	*Emulated
	stream Stream
	event  Event
	host   []byte
	memory Pointer
}

func newWorkbench(t *testing.T, o EmulatedOptions) *workbench {
	t.Helper()
	w := &workbench{Emulated: NewEmulated(o)}
	var errs [4]error
	w.stream, errs[0] = w.NewStream(Normal)
	w.event, errs[1] = w.NewEvent()
	w.host, errs[2] = w.Pin(1000)
	w.memory, errs[3] = w.Alloc(1000)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if left := w.InUse(); left != (InUse{}) {
			t.Errorf("left after Close: %+v", left)
		}
	})
	return w
}

// TestEmulatedCopy checks that what is queued in a stream happens in order.
func TestEmulatedCopy(t *testing.T) {
	w := newWorkbench(t, EmulatedOptions{})
	copy(w.host, "0123456789")
	for _, err := range []error{
		w.stream.ToDevice(w.memory, w.host[:10]),
		w.stream.Fill(w.memory+3, 'x', 4),
		w.stream.ToHost(w.host[10:20], w.memory),
		w.stream.Record(w.event),
		w.event.Sync(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := w.host[10:20]; !bytes.Equal(got, []byte("012xxxx789")) {
		t.Errorf("got %q", got)
	}
}

// TestEmulatedWait checks that a stream waits for what was recorded in another one when it
// was asked to, however late that happens.
func TestEmulatedWait(t *testing.T) {
	w := newWorkbench(t, EmulatedOptions{})
	second, err := w.NewStream(Normal)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		var list [5]error
		list[0] = w.stream.Fill(w.memory, byte(i), 1000)
		list[1] = w.stream.Record(w.event)
		list[2] = second.Wait(w.event)
		list[3] = second.ToHost(w.host, w.memory)
		list[4] = second.Sync()
		if err := errors.Join(list[:]...); err != nil {
			t.Fatal(err)
		}
		if w.host[0] != byte(i) || w.host[999] != byte(i) {
			t.Fatalf("round %d: copied %d, %d", i, w.host[0], w.host[999])
		}
	}
}

// TestEmulatedTogether checks that blocks that are launched together are one call, and read what is
// mapped.
func TestEmulatedTogether(t *testing.T) {
	w := newWorkbench(t, EmulatedOptions{})
	at, err := w.Mapped(w.host)
	if err != nil {
		t.Fatal(err)
	}
	var calls []Grid
	var last byte
	f, err := w.Load(Kernel{Name: "together", Emulate: func(m Memory, g Grid, _ []byte) error {
		calls = append(calls, g)
		b, err := m.Bytes(at+990, 10)
		if err == nil {
			last = b[9]
		}
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := f.Together(64, 16)
	if err != nil || blocks < 2 {
		t.Fatalf("%d blocks together, %v", blocks, err)
	}
	w.host[999] = 7
	if err := errors.Join(f.LaunchTogether(w.stream, blocks, 64, 16, nil), w.stream.Sync()); err != nil {
		t.Fatal(err)
	}
	if want := (Grid{Blocks: blocks, Threads: 64, Shared: 16}); len(calls) != 1 || calls[0] != want || last != 7 {
		t.Errorf("calls %+v, read %d, want one %+v and 7", calls, last, want)
	}
	if err := f.LaunchTogether(w.stream, blocks+1, 64, 16, nil); err == nil {
		t.Error("more blocks than run at once were launched")
	}
	if _, err := w.Mapped(make([]byte, 10)); err == nil {
		t.Error("what is not pinned was mapped")
	}
	if _, err := w.Bytes(at+991, 10); err == nil {
		t.Error("what lies behind mapped memory was read")
	}
}

// TestEmulatedRefuses checks the errors of wrong calls.
func TestEmulatedRefuses(t *testing.T) {
	w := newWorkbench(t, EmulatedOptions{Memory: 4096})
	reads, err := w.Load(Kernel{Name: "reads", Emulate: func(m Memory, _ Grid, _ []byte) error {
		_, err := m.Bytes(w.memory+900, 101)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	other := newWorkbench(t, EmulatedOptions{})
	for _, c := range []struct {
		what string
		do   func() error
		want string
	}{
		{"too much memory", func() error { _, err := w.Alloc(3073); return err }, "out of device memory: 3072 are left"},
		{"memory that is not pinned", func() error { return w.stream.ToDevice(w.memory, make([]byte, 10)) }, "not pinned"},
		{"a foreign address", func() error { return w.Free(w.memory + 1) }, "it was not allocated"},
		{"foreign bytes", func() error { return w.Unpin(w.host[1:]) }, "they were not pinned"},
		{"a stream of another device", func() error { return reads.Launch(other.stream, 1, 1, 0, nil) }, "of another device"},
		{"too many threads", func() error { return reads.Launch(w.stream, 1, 1025, 0, nil) }, "invalid configuration"},
		{"too much shared memory", func() error { return reads.Launch(w.stream, 1, 32, 48<<10+1, nil) },
			"invalid configuration"},
		{"a kernel out of bounds",
			func() error { return errors.Join(reads.Launch(w.stream, 3, 32, 0, nil), w.stream.Sync()) },
			"access to 101 bytes at"},
		{"a lost device", func() error { return w.stream.ToHost(w.host, w.memory) }, "the device is lost"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
		}
	}
}

// TestEmulatedFree checks that memory that a kernel is at work on is freed when that has ended, as on a
// GPU.
func TestEmulatedFree(t *testing.T) {
	w := newWorkbench(t, EmulatedOptions{})
	began, end := make(chan struct{}), make(chan struct{})
	p, err := w.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	f, err := w.Load(Kernel{Name: "slow", Emulate: func(m Memory, _ Grid, _ []byte) error {
		b, err := m.Bytes(p, 1<<20)
		close(began)
		<-end
		clear(b)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Launch(w.stream, 1, 1, 0, nil); err != nil {
		t.Fatal(err)
	}
	<-began
	time.AfterFunc(10*time.Millisecond, func() { close(end) })
	if err := w.Free(p); err != nil {
		t.Error(err)
	}
	if err := w.stream.Sync(); err != nil {
		t.Error(err)
	}
}

// TestOpen checks that a device is opened by the name that a list gives.
func TestOpen(t *testing.T) {
	for _, d := range Drivers() {
		list, err := d.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			device, err := Open(x.Name)
			if err != nil {
				t.Fatal(err)
			}
			if err := device.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Open("emulated7"); !errors.Is(err, ErrNoDevice) {
		t.Errorf("got %v", err)
	}
}
