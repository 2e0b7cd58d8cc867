package results

import "io"

// Names of the columns of an edge.
const (
	SourceColumn = "source"
	TargetColumn = "target"
	WeightColumn = "weight"
)

// WriteEdges writes edges in a format of columns, Parquet or Arrow IPC: a row has the id of the source, and columns for
// that of the target and for the weight. areText: all ids are UTF-8.
func WriteEdges(w io.Writer, f Format, t Rows, areText bool) error {
	if err := check(t); err != nil {
		return err
	}
	return writeColumns(w, f, t, areText)
}
