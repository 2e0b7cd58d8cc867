package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/store"
)

// sgzip returns a compressed .sg file of vertices without edges.
func sgzip(t *testing.T, vertices int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	head := binary.LittleEndian.AppendUint64([]byte{0}, 0)
	_, err := z.Write(binary.LittleEndian.AppendUint64(head, uint64(vertices)))
	zeros := make([]byte, 1<<20)
	for left := 8 * (vertices + 1); left > 0 && err == nil; left -= int64(len(zeros)) {
		_, err = z.Write(zeros[:min(left, int64(len(zeros)))])
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var enoughMemory = regexp.MustCompile(`--memory (\d+)MiB is enough`)

// TestVerticesPlanned checks that arrays over vertices that don't fit into the budget are
// refused at once, with the budget that is enough.
func TestVerticesPlanned(t *testing.T) {
	const huge = "4294967294 0\n"
	var sparse strings.Builder
	for range 600_000 {
		fmt.Fprintf(&sparse, "%d %d\n", rand.Uint64()>>1, rand.Uint64()>>1)
	}
	names := regexp.MustCompile(`(\d+)`).ReplaceAllString(sparse.String(), "n$1")
	promised := "%%MatrixMarket matrix coordinate pattern general\n4294967290 4294967290 1\n1 2\n"
	for _, test := range testsize.Some([]struct {
		name, file, text string
		ids              IDMode
		want             string // of the error; "" if there is none
		retry            bool   // within what is said to be enough
	}{
		{"one huge id", "huge.el", huge, read.IDsAuto, "id 4294967294 makes 4,294,967,295 vertices.*--ids int", false},
		{"one huge id, dense", "huge.txt", huge, read.IDsDense,
			"id 4294967294 makes 4,294,967,295 vertices.*--ids int", false},
		{"one huge id, mapped", "huge.el", huge, read.IDsInt, "", false},
		{"one huge id of text", "huge.txt", huge, read.IDsAuto, "", false},
		{"promised", "huge.mtx", promised, read.IDsAuto, "arrays over 4,294,967,290 vertices", false},
		{"promised, mapped", "huge.mtx", promised, read.IDsInt, "", false},
		{"integers with gaps", "sparse.txt", sparse.String(), read.IDsAuto, "there are [0-9,]+ vertices by now", true},
		{"names", "names.txt", names, read.IDsAuto, "there are [0-9,]+ vertices by now", true},
		{"compressed zeros", "zeros.sg.gz", string(sgzip(t, 20_000_000)), read.IDsAuto,
			"zeros.sg.gz: .*the header promises 20000000 vertices", true},
	}, 2, 1) {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			edges := filepath.Join(folder, test.file)
			if err := os.WriteFile(edges, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			o := Options{
				IDs: test.ids, Storage: StorageOptions{Layout: store.CSC}, Memory: build.LeastMemory(store.CSC), Threads: 2,
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // rather than for ever
			defer cancel()
			_, err := Import(ctx, []string{edges}, filepath.Join(folder, "graph"), o)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !errors.Is(err, build.ErrMemory) || !regexp.MustCompile(test.want).MatchString(err.Error()) {
				t.Fatalf("got %v, want %s", err, test.want)
			}
			for test.retry && err != nil {
				found := enoughMemory.FindStringSubmatch(err.Error())
				if found == nil {
					t.Fatalf("%v names no budget", err)
				}
				mib, _ := strconv.ParseInt(found[1], 10, 64)
				if mib<<20 <= o.Memory {
					t.Fatalf("%v, of %d bytes", err, o.Memory)
				}
				o.Memory = mib << 20
				_, err = Import(ctx, []string{edges}, filepath.Join(folder, "graph"), o)
			}
			if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestWindowPlanned checks that a zstd stream that asks for a window beyond the budget is
// refused, with what to do.
func TestWindowPlanned(t *testing.T) {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20))
	if err != nil {
		t.Fatal(err)
	}
	line := "1 2\n# " + strings.Repeat("x", 1<<20) + "\n"
	for range 70 { // a shorter stream needs no window
		_, err = io.WriteString(z, line)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	edges := filepath.Join(folder, "edges.txt.zst")
	if err := os.WriteFile(edges, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		memory int64
		want   string
	}{{128 << 20, "window of more than 16 MiB"}, {1 << 30, ""}} {
		_, err := Import(t.Context(), []string{edges}, filepath.Join(folder, "graph"),
			Options{Storage: StorageOptions{Layout: store.CSC}, Memory: test.memory})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("with %d bytes: got %v, want %q", test.memory, err, test.want)
		}
	}
}

// TestImportNegative checks that a budget and a number of threads below 0 are refused.
func TestImportNegative(t *testing.T) {
	for _, o := range []Options{{Memory: -5}, {Threads: -5}} {
		_, err := ImportEdges(t.Context(), Edges[int]{List: [][2]int{{1, 2}}}, filepath.Join(t.TempDir(), "g"), o)
		if err == nil || !strings.Contains(err.Error(), "-5") || !strings.Contains(err.Error(), "expected ") {
			t.Errorf("%d bytes, %d threads: %v", o.Memory, o.Threads, err)
		}
	}
}
