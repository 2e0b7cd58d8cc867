package ingest

import (
	"bytes"
	"fmt"
	"math"
)

// maxDense is the largest dense id; 4294967295 is no vertex, so that a vertex
// count fits in 32 bits.
const maxDense = math.MaxUint32 - 1

// maxName is the length of the longest string id.
const maxName = 65535

// lineEdge is an edge, or a vertex, as it is read.
type lineEdge struct {
	ids     [2]uint64
	kinds   [2]integerKind
	names   [2][]byte
	weight  float64
	count   int  // number of ids: 2, or 1 in a .v file
	rounded bool // the weight is a roundedWeight
}

// badLine says what is wrong with a line.
type badLine struct {
	text     []byte
	expected string
	advice   string
}

// What a user can do about bad lines.
const (
	adviceNoWeights = "use --weights no to pass over what follows the ids"
	adviceColumns   = "use --columns to choose columns, or --weights no to pass over what follows the ids"
	adviceDelimiter = "use --delimiter to name what separates the fields"
	adviceStrings   = "use --ids string to take ids as text"
	adviceGaps      = "use --ids int for ids that are not dense"
)

// withSkipAdvice adds what can be done about any bad line.
func withSkipAdvice(advice string) string {
	const skip = "--skip-bad-lines to pass over such lines"
	if advice == "" {
		return "use " + skip
	}
	return advice + ", or " + skip
}

// quotedEmpty is a token as errors show it, which have no text at the end of a file.
func quotedEmpty(tok []byte) []byte {
	if len(tok) == 0 {
		return []byte(`""`)
	}
	return tok
}

// checkName refuses what cannot be a string id.
func checkName(tok []byte) *badLine {
	switch {
	case len(tok) == 0:
		return &badLine{text: quotedEmpty(tok), expected: "an id that is not empty"}
	case len(tok) > maxName:
		return &badLine{text: tok, expected: fmt.Sprintf("an id of at most %d bytes, not of %d", maxName, len(tok))}
	case bytes.IndexByte(tok, 0) >= 0:
		return &badLine{text: tok, expected: "an id without zero bytes"}
	}
	return nil
}
