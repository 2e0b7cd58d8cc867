package columns

import (
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/ingest/read"
	cols "github.com/garaph/garaph/internal/columns"
)

// TestPickEdges checks that a column that is chosen twice, and a name that several have, are refused.
func TestPickEdges(t *testing.T) {
	list := []cols.Column{{Name: "a", Kind: cols.Int}, {Name: "b", Kind: cols.Int}, {Name: "A", Kind: cols.Int},
		{Name: "b", Kind: cols.Int}, {Name: "C", Kind: cols.Int}, {Name: "2", Kind: cols.Int}}
	for _, c := range []struct {
		columns []string
		want    []int // places from 0; nil if refused
		err     string
	}{
		{[]string{"a", "A"}, []int{0, 2}, ""},
		{[]string{"a", "c"}, []int{0, 4}, ""},
		{[]string{"1", "3", "5"}, []int{0, 2, 4}, ""},
		{[]string{"2", "4"}, []int{5, 3}, ""}, // the first is a name
		{[]string{"a", "b"}, nil, `has several columns "b"`},
		{[]string{"a", "B"}, nil, `has several columns "B"`},
		{[]string{"a", "1"}, nil, `column "a" is chosen twice`},
		{[]string{"c", "3", "C"}, nil, `column "C" is chosen twice`},
		{[]string{"a", "5", "c"}, nil, `column "C" is chosen twice`},
	} {
		p, err := pickEdges("g.parquet", list, read.Options{Table: read.TableOptions{Columns: c.columns}})
		if c.want == nil {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: got %v", c.columns, err)
			}
			continue
		}
		if err != nil || !slices.Equal(p.at, c.want) {
			t.Errorf("%q: the columns are those at %d, %v", c.columns, p.at, err)
		}
	}
}
