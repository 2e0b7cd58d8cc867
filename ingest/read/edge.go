package read

import (
	"bytes"
	"fmt"
	"math"
)

// MaxDense is the largest dense id; 4294967295 is no vertex, so that a vertex
// count fits in 32 bits.
const MaxDense = math.MaxUint32 - 1

// MaxName is the length of the longest string id.
const MaxName = 65535

// Edge is an edge, or a vertex, as it is read.
type Edge struct {
	IDs     [2]uint64
	Kinds   [2]IntegerKind
	Names   [2][]byte
	Weight  float64
	Count   int  // number of ids: 2, or 1 in a .v file
	Rounded bool // the weight is a RoundedWeight
}

// Bad describes an error in a line.
type Bad struct {
	Text     []byte
	Expected string
	Advice   string
}

// What a user can do about bad lines.
const (
	AdviceNoWeights = "use --weights no to pass over what follows the ids"
	AdviceColumns   = "use --columns to choose columns, or --weights no to pass over what follows the ids"
	AdviceDelimiter = "use --delimiter to name what separates the fields"
	AdviceStrings   = "use --ids string to take ids as text"
	AdviceGaps      = "use --ids int for ids that are not dense"
)

// AdviceSkip is the advice about lines without a better one.
const AdviceSkip = "use --skip-bad-lines to pass over such lines"

// QuotedEmpty returns a token as errors show it, which have no text at the end of a file.
func QuotedEmpty(tok []byte) []byte {
	if len(tok) == 0 {
		return []byte(`""`)
	}
	return tok
}

// CheckName returns the error of a token that cannot be a string id.
func CheckName(tok []byte) *Bad {
	switch {
	case len(tok) == 0:
		return &Bad{Text: QuotedEmpty(tok), Expected: "an id that is not empty"}
	case len(tok) > MaxName:
		return &Bad{Text: tok, Expected: fmt.Sprintf("an id of at most %d bytes, not of %d", MaxName, len(tok))}
	case bytes.IndexByte(tok, 0) >= 0:
		return &Bad{Text: tok, Expected: "an id without zero bytes"}
	}
	return nil
}
