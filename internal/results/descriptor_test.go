package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDescriptors checks that a file that is open stays, and is written where it is at, under
// whatever name of the descriptor.
func TestDescriptors(t *testing.T) {
	folder := t.TempDir()
	for i, name := range []string{"/dev/fd/%d", "/proc/self/fd/%d", "/dev/../dev/fd/%d", "link"} {
		path := filepath.Join(folder, fmt.Sprint(i))
		put(t, path, "before\n", 0o600)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		fd, err := unix.Dup(int(file.Fd())) // as one that the process began with
		if err != nil {
			t.Fatal(err)
		}
		if name == "link" {
			name = filepath.Join(folder, "link")
			if err := os.Symlink(fmt.Sprintf("/dev/fd/%d", fd), name); err != nil {
				t.Fatal(err)
			}
		} else {
			name = fmt.Sprintf(name, fd)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if got, is := Descriptor(name); !is || got != fd {
			t.Errorf("%s: descriptor %d, %v", name, got, is)
		}
		if err := CheckFile("the results", name); err != nil {
			t.Error(err)
		}
		if err := WriteFile(name, TSV, small()); err != nil {
			t.Error(err)
		}
		if got := content(t, fmt.Sprintf("/proc/self/fd/%d", fd)); got != "before\n"+smallTSV {
			t.Errorf("%s: %q", name, got)
		}
		unix.CloseOnExec(fd)
		if err := CheckFile("the results", name); err == nil || !strings.Contains(err.Error(), "is not open") {
			t.Errorf("%s, one of the process itself: %v", name, err)
		}
		if err := unix.Close(fd); err != nil {
			t.Error(err)
		}
		_ = file.Close()
	}
	for _, name := range []string{"3", "/dev/null", folder + "/3", "/proc/self/fd/x", "/proc/self/3",
		fmt.Sprintf("/proc/%d/fd/3", os.Getppid())} {
		if fd, is := Descriptor(name); is {
			t.Errorf("%s is taken for descriptor %d", name, fd)
		}
	}
}
