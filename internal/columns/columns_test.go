package columns

import (
	"bytes"
	"errors"
	"testing"
)

// written returns a file of a column with the integers below n.
func written(t *testing.T, n int, parquet bool) []byte {
	t.Helper()
	var b bytes.Buffer
	fields := []Field{{Name: "id", Type: Int64}}
	w, err := NewArrow(&b, fields, false)
	if parquet {
		b.Reset()
		w, err = NewParquet(&b, fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	if err := errors.Join(w.Write(n, []Data{{I64: list}}), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRowsOfGroups refuses a row group with fewer rows than its columns have.
func TestRowsOfGroups(t *testing.T) {
	b := written(t, 100, true)
	f, err := OpenParquet(bytes.NewReader(b), int64(len(b)), NewMemory(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := f.Read(bytes.NewReader(b), 0, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if v, n, err := rows.Next(1000); err != nil || n != 100 || v[0].Ints[99] != 99 {
		t.Errorf("%d rows, %v", n, err)
	}
	rows.Close()
	f.meta.RowGroups[0].NumRows = 90
	if _, err := f.Read(bytes.NewReader(b), 0, []int{0}); !errors.Is(err, ErrDamaged) {
		t.Errorf("a group of 90 rows: got %v", err)
	}
}
