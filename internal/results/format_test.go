package results

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{
		"out/ranks.tsv":   TSV,
		"ranks.TXT":       TSV,
		"a.csv":           CSV,
		"a.b.jsonl":       NDJSON,
		"a.ndjson.zst":    "ndjson.zst",
		"a.tsv.gz":        "tsv.gz",
		"a.CSV.GZ":        "csv.gz",
		"/x.csv/a.pq":     Parquet,
		"a.parquet":       Parquet,
		"a.npy":           NPY,
		"a.parquet.gz":    "",
		"a.npy.zst":       "",
		"a":               "",
		".gz":             "",
		"a.gz":            "",
		"a.tsv.gz.zst":    "",
		"/dev/stdout":     "",
		"folder.tsv/name": "",
	} {
		got, err := FormatOf(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for s, ok := range map[string]bool{
		"tsv": true, "CSV.gz": true, "ndjson.zst": true, "npy": true, "parquet": true,
		"": false, "xml": false, "parquet.gz": false, "npy.zst": false, "gz": false, ".gz": false, "tsv.bz2": false,
	} {
		if _, err := ParseFormat(s); (err == nil) != ok {
			t.Errorf("%s: got %v", s, err)
		}
	}
}

// TestBrokenTables checks that a table with another number of rows than promised does not become a
// file that looks whole.
func TestBrokenTables(t *testing.T) {
	two := &Batch{IDs: IDs{Ints: []int64{1, 2}}, Columns: []Values{{F32: []float32{1, 2}}}}
	cause := errors.New("broken page")
	for name, c := range map[string]struct {
		table *memory
		want  string
	}{
		"its own error": {&memory{rows: 2, batches: []*Batch{two}, err: cause}, "broken page"},
	} {
		for _, f := range allFormats {
			err := Write(io.Discard, f, c.table)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: got %v, want %q", name, f, err, c.want)
			}
		}
	}
	if err := Write(io.Discard, "xml", &memory{}); err == nil {
		t.Error("an unknown format was accepted")
	}
}
