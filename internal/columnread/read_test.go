package columnread

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/arrowipc"
	"github.com/garaph/garaph/internal/columnar"
	"github.com/garaph/garaph/internal/parquetread"
	"github.com/garaph/garaph/internal/results"
)

var readers = map[results.Format]func(string, int64, Pick, Rows) error{
	results.Parquet: Parquet, results.Arrow: Arrow, results.Arrows: Arrow, results.NPY: NPY,
}

const limit = 64 << 20

// table is a table in memory: an id, a float, an integer, and a vertex, of which all but the id may be null.
type table struct {
	kind  results.IDKind
	batch results.Batch
}

func (t *table) Rows() int64            { return int64(len(t.batch.Columns[0].F32)) }
func (t *table) IDKind() results.IDKind { return t.kind }
func (t *table) MaxIDBytes() int {
	longest := 0
	for _, s := range slices.Concat(t.batch.IDs.Strings, t.batch.Columns[2].V.Strings) {
		longest = max(longest, len(s))
	}
	return longest
}
func (t *table) Filler() results.Fill                     { return nil }
func (t *table) Vertices(int, func([]uint32) error) error { panic("files have the user's ids") }
func (t *table) Room() int64                              { return 0 }
func (t *table) IDsOf(int, func(int) uint32, func(int, *results.IDs) error) error {
	panic("files have the user's ids")
}
func (t *table) Batches(yield func(*results.Batch) error) error { return yield(&t.batch) }
func (t *table) Columns() []results.Column {
	return []results.Column{{Name: "distance", Kind: results.Float32, Nullable: true}, {Name: "hops", Kind: results.Int64, Nullable: true}, {Name: "parent", Kind: results.VertexID, Nullable: true}}
}

// want is a cell as text; "null".
func (t *table) want(i, column int) string {
	id := func(ids *results.IDs) string {
		switch t.kind {
		case results.IDInt:
			return fmt.Sprint(ids.Ints[i])
		case results.IDUint:
			return fmt.Sprint(ids.Uints[i])
		}
		return fmt.Sprintf("%q", ids.Strings[i])
	}
	if column == 0 {
		return id(&t.batch.IDs)
	}
	v := &t.batch.Columns[column-1]
	switch {
	case v.Null[i]:
		return "null"
	case column == 1:
		return fmt.Sprint(float64(v.F32[i]))
	case column == 2:
		return fmt.Sprint(v.I64[i])
	}
	return id(&v.V)
}

// cell is what was read as text.
func cell(k columnar.Kind, v *columnar.Values, i int) string {
	switch {
	case v.IsNull(i):
		return "null"
	case k == columnar.Float:
		return fmt.Sprint(v.Floats[i])
	case k == columnar.Text:
		return fmt.Sprintf("%q", v.Text.At(i))
	}
	return string(columnar.AppendInteger(nil, k, v.Ints[i]))
}

func drawTable(t *rapid.T) *table {
	n := rapid.SampledFrom([]int{0, 1, 3, 40, 100, 300, 1000, 5000, 5000, 70000}).Draw(t, "rows")
	x := &table{kind: rapid.SampledFrom([]results.IDKind{results.IDInt, results.IDUint, results.IDString}).Draw(t, "ids")}
	seed := rapid.Uint64().Draw(t, "seed")
	names := rapid.SliceOfN(rapid.StringMatching(`[a-zé世\xff ]{1,5}`), 3, 3).Draw(t, "names")
	if rapid.Bool().Draw(t, "bytes") {
		names[0] = "\xff\xfe"
	}
	next := func() uint64 { seed = seed*6364136223846793005 + 1442695040888963407; return seed ^ seed>>29 }
	x.batch.Columns = make([]results.Values, 3)
	ids := func(c *results.IDs) {
		switch x.kind {
		case results.IDInt:
			c.Ints = append(c.Ints, int64(next()))
		case results.IDUint:
			c.Uints = append(c.Uints, next())
		default:
			c.Strings = append(c.Strings, names[next()%3]+fmt.Sprint(next()%100))
		}
	}
	for range n {
		ids(&x.batch.IDs)
		c := x.batch.Columns
		c[0].F32 = append(c[0].F32, float32(next()%1000)/10)
		c[1].I64 = append(c[1].I64, int64(next()))
		ids(&c[2].V)
		for i := range c {
			c[i].Null = append(c[i].Null, next()%5 == 0)
		}
	}
	return x
}

func write(t interface{ Fatal(...any) }, f results.Format, x results.Table) []byte {
	var b bytes.Buffer
	if err := results.Write(&b, f, x); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func all(list []columnar.Column) ([]int, error) {
	var picked []int
	for i := range list {
		picked = append(picked, i)
	}
	return picked, nil
}

// TestReadsWhatWasWritten: every cell of a table is read as it was written, in every format, whatever columns are picked.
func TestReadsWhatWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	rapid.Check(t, func(t *rapid.T) {
		x := drawTable(t)
		format := rapid.SampledFrom([]results.Format{results.Parquet, results.Arrow, results.Arrows, results.NPY}).Draw(t, "format")
		picked := rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 1, 4, rapid.ID).Draw(t, "picked")
		if err := os.WriteFile(path, write(t, format, x), 0o600); err != nil {
			t.Fatal(err)
		}
		var columns []columnar.Column
		pick := func(list []columnar.Column) ([]int, error) {
			columns = list
			return picked, nil
		}
		rows := int64(0)
		err := readers[format](path, limit, pick, func(first int64, n int, v []columnar.Values) error {
			if first != rows {
				t.Fatalf("rows from %d on, want %d", first, rows)
			}
			rows += int64(n)
			for k, c := range picked {
				for i := range n {
					if got, want := cell(columns[c].Kind, &v[k], i), x.want(int(first)+i, c); got != want {
						t.Fatalf("row %d, column %d: got %s, want %s", int(first)+i, c, got, want)
					}
				}
			}
			return nil
		})
		if err != nil || rows != x.Rows() {
			t.Fatalf("%s: %d rows of %d: %v", format, rows, x.Rows(), err)
		}
		if len(columns) != 4 || columns[0].Name != "id" || columns[3].Name != "parent" || columns[1].Type != "float" {
			t.Fatalf("columns %v", columns)
		}
	})
}

func small() *table {
	x := &table{kind: results.IDString, batch: results.Batch{IDs: results.IDs{Strings: []string{"Basel", "Zürich"}}}}
	x.batch.Columns = []results.Values{
		{F32: []float32{0, float32(math.Inf(1))}, Null: []bool{false, true}}, {I64: []int64{0, 1}, Null: []bool{false, false}},
		{V: results.IDs{Strings: []string{"", "Basel"}}, Null: []bool{true, false}},
	}
	return x
}

func isDamage(err error) bool {
	for _, kind := range []error{ErrDamaged, ErrUnsupported, arrowipc.ErrDamaged, arrowipc.ErrUnsupported, parquetread.ErrDamaged, parquetread.ErrUnsupported} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// TestTruncated: a file that is cut off anywhere is an error that names it, and one with bytes behind its end.
func TestTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	for format, read := range readers {
		whole := write(t, format, small())
		for n := range len(whole) + 2 {
			b := append(slices.Clone(whole), 'x')[:n:n]
			if n > len(whole) {
				b = append(slices.Clone(whole), 'x')
			}
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			err := read(path, limit, all, func(int64, int, []columnar.Values) error { return nil })
			if n == len(whole) {
				if err != nil {
					t.Errorf("%s: %v", format, err)
				}
				continue
			}
			if !isDamage(err) || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s, %d bytes of %d: %v", format, n, len(whole), err)
			}
		}
	}
}

// TestChangedBytes: whatever a byte becomes, there is no panic, and an error names the file.
func TestChangedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	for format, read := range readers {
		whole := write(t, format, small())
		for at := range whole {
			for _, bit := range []byte{1, 0x80} {
				b := slices.Clone(whole)
				b[at] ^= bit
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
				err := read(path, limit, all, func(_ int64, n int, v []columnar.Values) error {
					for i := range n {
						for k := range v {
							if v[k].Text.Spans != nil && !v[k].IsNull(i) {
								_ = v[k].Text.At(i)
							}
						}
					}
					return nil
				})
				if err != nil && !strings.HasPrefix(err.Error(), path) {
					t.Errorf("%s, byte %d: %v", format, at, err)
				}
			}
		}
	}
}

// TestErrors: those of pick and of rows are returned as they are; what has no room is an error.
func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	mine := errors.New("mine")
	for format, read := range readers {
		if err := os.WriteFile(path, write(t, format, small()), 0o600); err != nil {
			t.Fatal(err)
		}
		none := func(int64, int, []columnar.Values) error { return nil }
		if err := read(path, limit, func([]columnar.Column) ([]int, error) { return nil, mine }, none); err != mine {
			t.Errorf("%s: %v", format, err)
		}
		if err := read(path, limit, all, func(int64, int, []columnar.Values) error { return mine }); err != mine {
			t.Errorf("%s: %v", format, err)
		}
		var need *MemoryError
		if err := read(path, 10, all, none); !errors.As(err, &need) || need.Bytes <= 10 {
			t.Errorf("%s: %v", format, err)
		}
		if err := read(t.TempDir(), limit, all, none); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", format, err)
		}
	}
}
