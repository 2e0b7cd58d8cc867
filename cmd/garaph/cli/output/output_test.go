package output

import (
	"bytes"
	"testing"

	"github.com/garaph/garaph/internal/results"
)

// named is a table of one row, whose value is a vertex too.
type named struct {
	results.Table
	id, label string
}

func (named) Rows() int64               { return 1 }
func (named) IDKind() results.IDKind    { return results.IDString }
func (named) IDName() string            { return results.IDColumn }
func (named) Filler() results.Fill      { return nil }
func (named) Columns() []results.Column { return []results.Column{{Kind: results.VertexID}} }
func (n named) Batches(yield func(*results.Batch) error) error {
	return yield(&results.Batch{
		IDs: results.IDs{Strings: []string{n.id}}, Columns: []results.Values{{V: results.IDs{Strings: []string{n.label}}}},
	})
}

// TestShown checks that on a terminal, names have nothing that it acts upon.
func TestShown(t *testing.T) {
	var out bytes.Buffer
	if err := results.Write(&out, results.TSV, shown{named{id: "red \x1b[31m", label: "\u202ebidi"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "red \\x1b[31m\t\\u202ebidi\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
