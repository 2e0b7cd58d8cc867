//go:build linux && (amd64 || arm64)

package sigbus

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/tinydisk"
)

const childVariable = "GARAPH_SIGBUS_CHILD"

// TestMain is also the process that TestCrash starts.
func TestMain(m *testing.M) {
	if how := os.Getenv(childVariable); how != "" {
		crash(how)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func page() int { return os.Getpagesize() }

// mapped maps a new file of some pages, and returns its path too.
func mapped(t testing.TB, dir string, pages int) ([]byte, string) {
	t.Helper()
	name := filepath.Join(dir, "mapped")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(pages * page())); err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, pages*page(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b, name
}

// cut maps a file of some pages and cuts it behind the first.
func cut(t testing.TB, pages int) []byte {
	t.Helper()
	b, name := mapped(t, t.TempDir(), pages)
	for i := range pages {
		b[i*page()] = 7
	}
	if err := os.Truncate(name, int64(page())); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFullDisk writes into the holes of a mapped file on a full disk, from
// several goroutines at once.
func TestFullDisk(t *testing.T) {
	const pages = 256
	disk := tinydisk.Mount(t, 64<<10)
	b, _ := mapped(t, disk, pages)
	g := Hold()
	defer g.Release()
	if err := g.Err(); err != nil {
		t.Fatalf("before any write: %v", err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range pages {
				b[i*page()+8]++
			}
		})
	}
	all.Wait()
	if err := g.Err(); !errors.Is(err, ErrFault) {
		t.Fatalf("got %v for %d pages on a disk of 16", err, pages)
	}
	if err := unix.Msync(b, unix.MS_SYNC); err != nil {
		t.Errorf("sync of what is left of the mapping: %v", err)
	}
	if err := g.Release(); !errors.Is(err, ErrFault) {
		t.Errorf("release: %v", err)
	}
	later := Hold()
	if err := later.Release(); err != nil {
		t.Errorf("a later guard reports what was before: %v", err)
	}
	if n := guards.Load(); n != 0 {
		t.Errorf("%d guards are held in the end", n)
	}
}

// TestCut reads behind the end of a file that was cut: zeros, and only there.
func TestCut(t *testing.T) {
	b := cut(t, 3)
	g := Hold()
	if b[0] != 7 || g.Err() != nil {
		t.Fatalf("the page that is there: %d, %v", b[0], g.Err())
	}
	if b[page()] != 0 || b[2*page()] != 0 || !errors.Is(g.Err(), ErrFault) {
		t.Fatalf("pages that are not there: %d, %d, %v", b[page()], b[2*page()], g.Err())
	}
	if b[0] != 7 {
		t.Errorf("the page in front of it: %d", b[0])
	}
	if err := errors.Join(g.Release(), g.Release()); !errors.Is(err, ErrFault) || guards.Load() != 0 {
		t.Errorf("released twice: %v, %d guards", err, guards.Load())
	}
}

// TestOtherSignals holds a guard while a program listens to all signals, which
// puts Go's handler back.
func TestOtherSignals(t *testing.T) {
	first := Hold()
	signals := make(chan os.Signal, 16)
	signal.Notify(signals)
	defer signal.Stop(signals)
	g := Hold()
	if b := cut(t, 2); b[page()] != 0 || g.Err() == nil {
		t.Errorf("%d, %v", b[page()], g.Err())
	}
	_, _ = first.Release(), g.Release()
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGBUS} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		for timeout := time.After(time.Minute); ; {
			select {
			case got := <-signals:
				if got != s {
					continue
				}
			case <-timeout:
				t.Fatalf("%v did not come", s)
			}
			break
		}
	}
}

// TestPanicOnFault: without a guard Go does what it always does, though the
// handler is there.
func TestPanicOnFault(t *testing.T) {
	_ = Hold().Release()
	b := cut(t, 2)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r, ok := recover().(interface{ Addr() uintptr })
		if !ok || r.Addr() == 0 {
			t.Errorf("recovered %v", r)
		}
	}()
	t.Errorf("read %d without a fault", b[page()])
}

var nowhere *[4096]byte

// crash touches memory that it must not. It returns when that did not end it.
func crash(how string) {
	t := &testing.T{}
	dir, err := os.MkdirTemp(os.Getenv("GARAPH_SIGBUS_DIR"), "")
	if err != nil {
		os.Exit(3)
	}
	b, name := mapped(t, dir, 2)
	if err := os.Truncate(name, 0); err != nil {
		os.Exit(3)
	}
	switch how {
	case "never held":
	case "released":
		_ = Hold().Release()
	case "nil pointer":
		Hold()
		b = nowhere[:]
	case "no memory":
		Hold()
		if b, err = unix.Mmap(-1, 0, page(), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE); err != nil {
			os.Exit(3)
		}
	}
	b[0]++
}

// TestCrash starts processes that fault without a guard, or of something else.
func TestCrash(t *testing.T) {
	for how, want := range map[string]string{
		"never held":  "signal SIGBUS",
		"released":    "signal SIGBUS",
		"nil pointer": "nil pointer dereference",
		"no memory":   "signal SIGSEGV",
	} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childVariable+"="+how, "GARAPH_SIGBUS_DIR="+t.TempDir())
		var out bytes.Buffer
		c.Stderr = &out
		if err := c.Run(); c.ProcessState.ExitCode() != 2 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, expected a crash with %q:\n%s", how, err, want, &out)
		}
	}
}

func BenchmarkHold(b *testing.B) {
	for b.Loop() {
		_ = Hold().Release()
	}
}
