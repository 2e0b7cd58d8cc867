package hostmem_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type (
	flat   struct{ A, B float32 }
	nested struct {
		F flat
		N [4]uint16
	}
	named   uint32
	pointer struct {
		A int32
		P *int32
	}
	deep struct{ Outer struct{ List [2][]uint8 } }
)

// TestCheckPlain checks what can live outside the Go heap, in files and on devices.
func TestCheckPlain(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		says string // if "", it can
	}{
		{"bool", hostmem.CheckPlain[bool](), ""},
		{"float64", hostmem.CheckPlain[float64](), ""},
		{"named", hostmem.CheckPlain[named](), ""},
		{"array", hostmem.CheckPlain[[3]float32](), ""},
		{"struct", hostmem.CheckPlain[flat](), ""},
		{"struct of structs and arrays", hostmem.CheckPlain[nested](), ""},
		{"empty struct", hostmem.CheckPlain[struct{}](), ""},

		{"int", hostmem.CheckPlain[int](), "type int is"},
		{"uintptr", hostmem.CheckPlain[uintptr](), "uintptr"},
		{"string", hostmem.CheckPlain[string](), "string"},
		{"slice", hostmem.CheckPlain[[]byte](), "[]uint8"},
		{"map", hostmem.CheckPlain[map[int8]int8](), "map"},
		{"pointer", hostmem.CheckPlain[*int32](), "*int32"},
		{"unsafe pointer", hostmem.CheckPlain[unsafe.Pointer](), "unsafe.Pointer"},
		{"array of pointers", hostmem.CheckPlain[[2]*int32](), "*int32"},
		{"struct with a pointer", hostmem.CheckPlain[pointer](), "field P"},
		{"slice deep inside", hostmem.CheckPlain[deep](), "field Outer: field List"},
	} {
		if c.says == "" && c.err != nil || c.says != "" && (c.err == nil || !strings.Contains(c.err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.says)
		}
	}
}

// TestBytes checks that memory is zeroed, at the beginning of a page of memory, and its own.
func TestBytes(t *testing.T) {
	for _, n := range []int64{0, 1, 4095, 4096, 4097, 5 << 20} {
		b, err := hostmem.Bytes(n)
		if err != nil || int64(len(b)) != n {
			t.Fatalf("%d bytes of %d: %v", len(b), n, err)
		}
		if n > 0 && uintptr(unsafe.Pointer(&b[0]))%4096 != 0 {
			t.Errorf("%d bytes: not aligned", n)
		}
		if !bytes.Equal(b, make([]byte, n)) {
			t.Errorf("%d bytes: not zero", n)
		}
		for i := range b {
			b[i] = 0xff
		}
		hostmem.FreeBytes(b)
		if b, err = hostmem.Bytes(n); err != nil {
			t.Fatal(err)
		}
		hostmem.SmallPages(b)
		if !bytes.Equal(b, make([]byte, n)) {
			t.Errorf("%d bytes in small pages: not zero", n)
		}
		hostmem.FreeBytes(b)
	}
	hostmem.FreeBytes(nil)
}

// TestTooLarge checks that an error says how much was wanted.
func TestTooLarge(t *testing.T) {
	if b, err := hostmem.Bytes(1 << 60); err == nil || !strings.Contains(err.Error(), "1152921504606846976") {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if s, err := hostmem.Slice[uint64](1 << 57); err == nil {
		t.Errorf("%d words", len(s))
	}
	if s, err := hostmem.Sparse[uint64](1 << 57); err == nil {
		t.Errorf("%d words", len(s))
	}
}

func TestSlice(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 1 << 20} {
		s, err := hostmem.Slice[nested](n)
		if err != nil || len(s) != n {
			t.Fatalf("%d of %d values, %v", len(s), n, err)
		}
		for i := range s {
			if s[i] != (nested{}) {
				t.Fatalf("value %d of %d is %v", i, n, s[i])
			}
			s[i].N[3] = uint16(i)
		}
		for i := range s {
			if s[i].N[3] != uint16(i) {
				t.Fatalf("value %d of %d is %v", i, n, s[i])
			}
		}
		hostmem.Free(s)
	}
	empty, err := hostmem.Slice[struct{}](7)
	if err != nil || len(empty) != 7 {
		t.Errorf("%d empty values, %v", len(empty), err)
	}
	hostmem.Free(empty)
}

// TestSparse checks that more addresses than the machine has memory, of which only what is
// used takes any.
func TestSparse(t *testing.T) {
	const n = 1 << 38 // words: 2 TiB
	s, err := hostmem.Sparse[uint64](n)
	if err != nil {
		t.Skipf("this system gives no such range: %v", err)
	}
	defer hostmem.Free(s)
	for _, i := range []int{0, 1, 1 << 20, n / 3, n - 1} {
		if s[i] != 0 {
			t.Errorf("value %d is %d", i, s[i])
		}
		s[i] = uint64(i) + 1
	}
	for _, i := range []int{0, 1, 1 << 20, n / 3, n - 1} {
		if s[i] != uint64(i)+1 {
			t.Errorf("value %d is %d", i, s[i])
		}
	}
}

// TestDrop checks that what was given back to the system comes again from the file, what
// was changed included; so do the bytes around it.
func TestDrop(t *testing.T) {
	const size = 5 * 4096
	name := filepath.Join(t.TempDir(), "file")
	want := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	if err := os.WriteFile(name, want, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	for _, window := range [][2]int{{0, size}, {1, 2}, {4095, 4097}, {5000, 9000}, {size - 1, size}, {7, 7}} {
		for _, i := range []int{0, 4095, 4096, 5000, size - 1} {
			b[i]++
			want[i]++
		}
		hostmem.Drop(b[window[0]:window[1]])
		if !bytes.Equal(b, want) {
			t.Errorf("Drop of %v lost bytes", window)
		}
	}
	if err := unix.Munmap(b); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has other bytes, %v", err)
	}
}

// TestApart checks that of many pieces that fill their pages none continues another one.
func TestApart(t *testing.T) {
	ends := map[uintptr]bool{}
	var all [][]byte
	for range 20 {
		b, err := hostmem.Apart(int64(2 * os.Getpagesize()))
		if err != nil {
			t.Fatal(err)
		}
		defer hostmem.FreeBytes(b)
		b[len(b)-1] = 1
		all = append(all, b)
		ends[uintptr(unsafe.Pointer(&b[0]))+uintptr(len(b))] = true
	}
	for _, b := range all {
		if ends[uintptr(unsafe.Pointer(&b[0]))] {
			t.Fatalf("%p continues another piece", &b[0])
		}
	}
	if b, err := hostmem.Apart(0); b != nil || err != nil {
		t.Errorf("no bytes: %v, %v", b, err)
	}
}

// TestPopulateAll checks that blocks of any sizes are in memory afterwards, and have the content that they had.
func TestPopulateAll(t *testing.T) {
	var blocks [][]byte
	for _, n := range []int64{0, 1, 5 << 20, 4096} {
		b, err := hostmem.Bytes(n)
		if err != nil {
			t.Fatal(err)
		}
		defer hostmem.FreeBytes(b)
		blocks = append(blocks, b)
	}
	blocks[2][3<<20] = 7
	hostmem.PopulateAll(3, blocks...)
	if blocks[2][3<<20] != 7 {
		t.Error("content is gone")
	}
	for i, b := range blocks {
		resident := make([]byte, (len(b)+4095)/4096)
		if len(b) == 0 {
			continue
		}
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
			uintptr(unsafe.Pointer(&resident[0]))); errno != 0 {
			t.Fatal(errno)
		}
		if k := bytes.IndexByte(resident, 0); k >= 0 {
			t.Errorf("block %d: page %d is not in memory", i, k)
		}
	}
}
