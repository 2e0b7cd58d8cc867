package text

import (
	"bytes"

	"github.com/garaph/garaph/ingest/read"
)

// The fast path of every text format: lines of the plain form
//
//	digits separator digits [separator number] newline
//
// go straight from the block into the arrays of a batch, eight digits at a
// time. The loops stop before the first line of any other form; that line then
// goes through Layout.parseLine, the one place that knows all forms and all
// errors.

// idRange is which ids a format admits and how it delivers them: a source u is
// admitted when lo ≤ u < lo+rows, a destination v when lo ≤ v < lo+cols, and
// both are delivered less sub.
type idRange struct {
	lo, rows, cols, sub uint64
}

// plainLines describes a format for the fast path.
type plainLines struct {
	ids  idRange
	Seps uint64 // bit c is set when the byte c separates fields
	arc  bool   // lines begin with "a " (DIMACS)
	rest bool   // the fields behind the second id are passed over
	most int    // how many separators that may have; if 0, any number

	quotes    bool // which may have quotes
	delimiter byte // see splitter

	Weights read.WeightRule

	canonical bool // ids do not begin with zeros, so that the number says how it was written
}

// edges takes lines of ids of up to 19 digits, with a weight behind them when
// weight is not nil, from b[p:n] until src is full or a line has another form.
// It returns the start of the first line not taken and the number of edges
// taken. b goes on for Padding bytes beyond n.
func (f *plainLines) edges(b []byte, p, n int, src, dst []uint64, weight []float64) (int, int) {
	ids, seps := f.ids, f.Seps
	dst = dst[:len(src)]
	k := 0
	for k < len(src) && p < n {
		q := p
		if f.arc {
			if b[q] != 'a' || b[q+1] != ' ' {
				break
			}
			q += 2
		}
		u, r := read.PlainDigits(b, q)
		if c := b[r]; r == q || c > ',' || seps>>(c&63)&1 == 0 {
			break
		}
		q = r + 1
		v, r := read.PlainDigits(b, q)
		if r == q || u-ids.lo >= ids.rows || v-ids.lo >= ids.cols {
			break
		}
		if f.canonical && (padded(b, p) || padded(b, q)) { // p: these lines have nothing before the source
			break
		}
		if weight != nil {
			if c := b[r]; c > ',' || seps>>(c&63)&1 == 0 {
				break
			}
			q = r + 1
			if weight[k], r = f.Weights.Plain(b, q); r == q {
				break
			}
		}
		if b[r] != '\n' {
			if r = f.lineEnd(b, r, n); r < 0 {
				break
			}
		}
		src[k], dst[k] = u-ids.sub, v-ids.sub
		k++
		p = r + 1
	}
	return p, k
}

// padded reports whether the number at b[p] begins with a zero and goes on.
func padded(b []byte, p int) bool { return b[p] == '0' && b[p+1]-'0' <= 9 }

// nameEnds says which bytes end an unquoted name. A zero byte does, which no
// name may hold.
var nameEnds = [256]bool{0: true, ' ': true, '\t': true, ',': true, '\r': true, '\n': true}

// named is like edges, for string ids. The names alias b.
func (f *plainLines) named(b []byte, p, n int, src, dst [][]byte, weight []float64) (int, int) {
	seps := f.Seps
	dst = dst[:len(src)]
	k := 0
	for k < len(src) && p < n {
		if c := b[p]; c == '#' || c == '%' || c == '"' {
			break
		}
		q := p
		for !nameEnds[b[q]] {
			q++
		}
		if c := b[q]; q == p || q-p > read.MaxName || c > ',' || seps>>(c&63)&1 == 0 {
			break
		}
		s := q + 1
		r := s
		for !nameEnds[b[r]] {
			r++
		}
		if r == s || r-s > read.MaxName || b[s] == '"' {
			break
		}
		end := r
		if b[r] != '\n' && b[r] != '\r' && b[pastBlanks(b, r)] > ' ' && separator(b[r:]) != b[q] {
			break // it may be of a name with blanks
		}
		if weight != nil {
			if c := b[r]; c > ',' || seps>>(c&63)&1 == 0 {
				break
			}
			q := r + 1
			if weight[k], r = f.Weights.Plain(b, q); r == q {
				break
			}
		}
		if b[r] != '\n' {
			if r = f.lineEnd(b, r, n); r < 0 {
				break
			}
		}
		src[k], dst[k] = b[p:q:q], b[s:end:end]
		k++
		p = r + 1
	}
	return p, k
}

// pastBlanks returns the place of the first byte from p on that is no blank. A newline follows.
func pastBlanks(b []byte, p int) int {
	for b[p] == ' ' || b[p] == '\t' {
		p++
	}
	return p
}

// lineEnd returns the place of the newline that ends the line at b[p], if nothing
// but blanks or a rest that is passed over stands before it; else -1.
func (f *plainLines) lineEnd(b []byte, p, n int) int {
	if c := b[p]; f.rest && c <= ',' && f.Seps>>(c&63)&1 != 0 {
		end := bytes.IndexByte(b[p:n], '\n')
		if end < 0 || f.most > 0 && bytes.Count(b[p:p+end], b[p:p+1]) > f.most || f.quotes && f.mayOpenQuote(b[p:p+end]) {
			return -1
		}
		return p + end
	}
	p = pastBlanks(b, p)
	if b[p] == '\r' {
		p++
	}
	if b[p] != '\n' {
		return -1
	}
	return p
}

// mayOpenQuote reports whether a field of the rest of a line, the separator before it included, may
// begin with a quote that is not closed.
func (f *plainLines) mayOpenQuote(rest []byte) bool {
	if bytes.IndexByte(rest, '"') < 0 {
		return false
	}
	c := f.delimiter
	if c == 0 {
		c = ','
	}
	return opensQuote(rest, c)
}
