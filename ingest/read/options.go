package read

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FormatName is the name of an edge-list format. The layouts are described in docs/formats.md.
type FormatName string

// Auto recognises the format by content and name.
const Auto FormatName = "auto"

// IDMode says how the ids of an input are to be taken.
type IDMode string

// The modes. With IDsAuto the format decides, and for text formats that leave
// it open the first mebibyte of the input.
const (
	IDsAuto   IDMode = "auto"
	IDsDense  IDMode = "dense"  // ids are dense ids already, plus the base of the format
	IDsInt    IDMode = "int"    // any 64-bit integers
	IDsString IDMode = "string" // any text without separators
)

// WeightMode is the way in which a column of weights is read.
type WeightMode string

// The modes. With WeightsAuto an input is weighted when its format says so, or,
// in text, when a third column of numbers is there; so it is with WeightsFloat32 and
// WeightsFloat64. Weights are rounded to float32, but for whole numbers up to 2^53, which are
// exact, or, with WeightsFloat32, for none. With WeightsFloat64, none are.
const (
	WeightsAuto WeightMode = "auto"
	WeightsYes  WeightMode = "yes" // required
	WeightsNo   WeightMode = "no"  // the fields behind the two ids are passed over

	WeightsFloat32 WeightMode = "float32"
	WeightsFloat64 WeightMode = "float64"
)

// WeightModes returns all of them.
func WeightModes() []WeightMode {
	return []WeightMode{WeightsAuto, WeightsYes, WeightsNo, WeightsFloat32, WeightsFloat64}
}

// Rule returns the rule of a mode.
func (m WeightMode) Rule() WeightRule {
	switch m {
	case WeightsFloat32:
		return keepSingle
	case WeightsFloat64:
		return KeepDouble
	}
	return keepWhole
}

// HeaderMode says whether text begins with a line of column names.
type HeaderMode string

// The modes. With HeaderAuto the first lines decide, see isHeader.
const (
	HeaderAuto HeaderMode = ""
	HeaderYes  HeaderMode = "yes"
	HeaderNo   HeaderMode = "no"
)

// TableOptions say how lines of text ([Text]) are columns. The zero value takes
// blanks or a comma as the separator, and the first columns.
type TableOptions struct {
	// Delimiter separates columns. If 0, spaces and tabs do, or one comma. With it,
	// names may have any other character inside.
	Delimiter byte
	Header    HeaderMode
	// Columns has the columns of source, destination and, if there is a third one,
	// weight: numbers from 1 on, or names in the header.
	Columns []string
}

// IsSet reports whether any option is set.
func (o *TableOptions) IsSet() bool {
	return o.Delimiter != 0 || o.Header != HeaderAuto || len(o.Columns) > 0
}

// Check returns an error if options contradict each other, or the mode of weights.
func (o *TableOptions) Check(weights WeightMode) error {
	switch c := o.Delimiter; {
	case c == '"' || c == '\n' || c == '\r' || c > '~' || c < ' ' && c != '\t' && c != 0:
		return fmt.Errorf("delimiter %q: expected a character of ASCII that is no quote, line end or control", c)
	case c >= '0' && c <= '9':
		return fmt.Errorf("delimiter %q: expected a character that is no digit", c)
	}
	switch len(o.Columns) {
	case 0:
		return nil
	case 2:
		if weights == WeightsYes {
			return fmt.Errorf("columns %s have no weight, but weights are required: name the column of the weight as the third",
				strings.Join(o.Columns, ", "))
		}
	case 3:
		if weights == WeightsNo {
			return fmt.Errorf("columns %s have a weight, but weights are to be passed over: name the first two alone",
				strings.Join(o.Columns, ", "))
		}
	default:
		return fmt.Errorf("%d columns: expected those of source and destination, and perhaps of the weight", len(o.Columns))
	}
	for i, c := range o.Columns {
		n, err := strconv.Atoi(c)
		switch {
		case slices.Contains(o.Columns[:i], c):
			return fmt.Errorf("column %s is there twice: %s", c, AdviceOther)
		case c == "":
			return fmt.Errorf("columns %q: one of them is empty", o.Columns)
		case err == nil && (n < 1 || n > maxColumns):
			return fmt.Errorf("column %s: expected a number from 1 to %d, or a name", c, maxColumns)
		case err != nil && o.Header == HeaderNo:
			return fmt.Errorf("column %q is a name, but the input has no header: give its number", c)
		}
	}
	return nil
}

// Named reports whether a column is given by its name.
func (o *TableOptions) Named() bool {
	return slices.ContainsFunc(o.Columns, func(c string) bool {
		_, err := strconv.Atoi(c)
		return err != nil
	})
}

// maxColumns bounds the number of a column.
const maxColumns = 1 << 16

// AdviceOther is the advice about a column that is chosen twice.
const AdviceOther = "name another one for each of source, destination and weight"
