package all_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/read"
)

// otherFile returns a file of testdata/other.
func otherFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "other", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestArrowOtherWriters reads files and streams of Polars; testdata/other/README.md says what is in them.
func TestArrowOtherWriters(t *testing.T) {
	for name, edge := range map[string]func(i, u, v int) (string, string){
		"polars-lz4.arrow": func(_, u, v int) (string, string) { return fmt.Sprint(u), fmt.Sprint(v) },
		"polars-strings.arrow": func(_, u, v int) (string, string) {
			if v == 500 {
				return "", ""
			}
			return fmt.Sprint("v", u), fmt.Sprint("v", v)
		},
		"polars-small.arrows":       smallEdge,
		"javascript-small.arrow":    smallEdge,
		"polars-categorical.arrows": smallEdge,
	} {
		var want []edgeSeen
		for i := range 3000 {
			if u, v := edge(i, i*7919%1000, (i*104729+13)%1000); u != "" {
				want = append(want, edgeSeen{U: u, V: v, W: float32(i%16) / 4})
			}
		}
		slices.SortFunc(want, compareSeen)
		b := otherFile(t, name)
		for _, o := range []read.Options{{}, {Stdin: bytes.NewReader(b)}} {
			o.SkipBadLines = true
			input := filepath.Join("testdata", "other", name)
			if o.Stdin != nil {
				input = read.StdinName
			}
			r := readNames(t, o, []string{input})
			if name == "javascript-small.arrow" && o.Stdin != nil {
				if r.err == nil {
					t.Error(r.err)
				}
				continue
			}
			if r.err != nil {
				t.Fatal(name, r.err)
			}
			if diff := cmp.Diff(want, r.sink.sorted()); diff != "" {
				t.Errorf("%s (-want +got):\n%.1000s", name, diff)
			}
		}
	}
}

func smallEdge(i, u, v int) (string, string) {
	if i >= 300 || v%7 == 0 {
		return "", ""
	}
	return fmt.Sprint("v", u%10), fmt.Sprint("a long name of vertex ", v%10)
}

// arrowFile writes batches of two rows as a file or a stream.
func arrowFile(t testing.TB, file bool, batches int) []byte {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "weight", Type: arrow.PrimitiveTypes.Float64}, {Name: "source", Type: arrow.PrimitiveTypes.Int64},
		{Name: "target", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&out, ipc.WithSchema(s))
	if file {
		var err error
		if w, err = ipc.NewFileWriter(&out, ipc.WithSchema(s)); err != nil {
			t.Fatal(err)
		}
	}
	for range batches {
		b.Field(0).(*array.Float64Builder).AppendValues([]float64{0.5, 2}, nil)
		b.Field(1).(*array.Int64Builder).AppendValues([]int64{7, -9}, nil)
		b.Field(2).(*array.StringBuilder).AppendValues([]string{"Bern", ""}, []bool{true, false})
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestArrow(t *testing.T) {
	for _, file := range []bool{true, false} {
		b := arrowFile(t, file, 2)
		r := readBytes(t, "g", b, read.Options{Threads: 2})
		if want := `g: row 1 (from 0): null: expected an id in column "target"; use --skip-bad-lines to pass ` +
			`over such lines`; r.err == nil || r.err.Error() != want {
			t.Errorf("got %v", r.err)
		}
		for _, packed := range [][]byte{b, gzipped(t, b)} {
			r = readBytes(t, "g", packed, read.Options{SkipBadLines: true})
			want := []edgeSeen{{"7", "Bern", 0.5}, {"7", "Bern", 0.5}}
			if diff := cmp.Diff(want, r.sink.sorted()); diff != "" || r.err != nil || r.stats.BadLines != 2 {
				t.Errorf("%v, %+v (-want +got):\n%s", r.err, r.stats, diff)
			}
		}
		if r := readBytes(t, "g", b, read.Options{RowBytes: 20}); !errors.Is(r.err, build.ErrMemory) {
			t.Errorf("got %v", r.err)
		}
		for n := range b {
			r := readBytes(t, "g.arrow", b[:n], read.Options{SkipBadLines: true})
			var damaged *read.DamagedError
			if !errors.As(r.err, &damaged) && (file || r.err != nil) {
				t.Fatalf("of %d of %d bytes: %v", n, len(b), r.err)
			}
		}
	}
	r := readBytes(t, "g.arrows", append(arrowFile(t, false, 1), "more"...), read.Options{SkipBadLines: true})
	if r.err == nil || !strings.Contains(r.err.Error(), "goes on behind the end of its stream") {
		t.Errorf("got %v", r.err)
	}
	r = readBytes(t, "g.feather", []byte("FEA1...."), read.Options{})
	if r.err == nil || !strings.Contains(r.err.Error(), "is a file of Feather version 1") {
		t.Errorf("got %v", r.err)
	}
}

// TestArrowSchemaAtEnd checks that a file whose schema stands only in its directory is read where it is whole.
func TestArrowSchemaAtEnd(t *testing.T) {
	b := otherFile(t, "javascript-small.arrow")
	for n := 0; n < len(b); n += 1 + n/1500*7 {
		var damaged *read.DamagedError
		if r := readBytes(t, "g.arrow", b[:n], read.Options{SkipBadLines: true}); !errors.As(r.err, &damaged) {
			t.Fatalf("of %d of %d bytes: %v", n, len(b), r.err)
		}
	}
	if r := readBytes(t, "g.arrow.gz", gzipped(t, b), read.Options{}); r.err == nil {
		t.Error(r.err)
	}
}
