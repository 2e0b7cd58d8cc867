package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/garaph/garaph/internal/results"
)

// matching calls f with the ids of those rows of a file of results that meet all conditions, and the number of
// the line, or of the row where there are no lines. memory is what a file of columns may take, about.
func matching(ctx context.Context, path string, where []condition, memory int64, f func(id string, at int) error) error {
	format, err := results.FormatOf(path)
	if err != nil {
		return Usagef("--results %s: %w", path, err)
	}
	rows := &resultRows{path: path, where: where, found: f}
	if read := columnReaderOf(format); read != nil {
		return rows.columnar(ctx, read, memory)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in, done, err := unpacked(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	switch base, _, _ := strings.Cut(string(format), "."); results.Format(base) {
	case results.CSV:
		err = rows.csv(in)
	case results.TSV:
		err = rows.tsv(in)
	case results.NDJSON:
		err = rows.ndjson(in)
	default:
		return Usagef("--results %s: rows of %s cannot be read", path, base)
	}
	return err
}

// unpacked is what a file holds, compressed with gzip or zstd or not.
func unpacked(file io.Reader) (io.Reader, func(), error) {
	in := bufio.NewReaderSize(file, 1<<20)
	head, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(in)
		return packedReader{z, "gzip"}, func() {}, unpackError("gzip", err)
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, nil, unpackError("zstd", err)
		}
		return packedReader{z, "zstd"}, z.Close, nil
	}
	return in, func() {}, nil
}

// packedReader explains the errors of a compressed stream.
type packedReader struct {
	io.Reader
	kind string
}

func (p packedReader) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	return n, unpackError(p.kind, err)
}

// unpackError explains what ended a compressed stream too early.
func unpackError(kind string, err error) error {
	switch {
	case err == nil, err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s stream is truncated: it ends in the middle; write the file again, or copy it again as a whole", kind)
	}
	return fmt.Errorf("the %s stream is damaged: %w; write the file again, or copy it again as a whole", kind, err)
}

// resultRows goes over the rows of a file.
type resultRows struct {
	path  string
	where []condition
	found func(id string, at int) error
	id    int   // the column of the ids
	at    []int // the columns of the conditions
}

// columns finds the column of the ids, which has the name id or is the first, and those of the conditions: by
// name, where there are names, or by number.
func (r *resultRows) columns(names []string, n int) error {
	if r.id = max(0, slices.Index(names, "id")); len(names) > 0 && names[r.id] == "" {
		return fmt.Errorf("%s: the first column has no name, as the index that pandas writes, and none has the name id: name the column of the ids id", r.path)
	}
	for _, c := range r.where {
		at := slices.Index(names, c.column)
		if number, err := strconv.Atoi(c.column); at < 0 && err == nil && number >= 1 && number <= n {
			at = number - 1
		}
		if at < 0 && len(names) > 0 {
			return fmt.Errorf("%s has no column %q: it has %s", r.path, c.column, strings.Join(names, ", "))
		}
		if at < 0 {
			return fmt.Errorf("%s has no names of columns, as a tsv file: in place of %q, give --where a number from 1 to %d; the id is 1, and its value 2", r.path, c.column, n)
		}
		r.at = append(r.at, at)
	}
	return nil
}

// row looks at one row.
func (r *resultRows) row(cells []string, line int) error {
	for i, c := range r.where {
		if r.at[i] >= len(cells) {
			return fmt.Errorf("%s:%d: the row has %d columns, and no column %q", r.path, line, len(cells), c.column)
		}
		if !c.holds(cells[r.at[i]]) {
			return nil
		}
	}
	return r.found(cells[r.id], line)
}

func (r *resultRows) csv(in io.Reader) error {
	text := bufio.NewReader(in)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" {
		_, _ = text.Discard(3)
	}
	rows := csv.NewReader(&quotedReturns{in: text})
	rows.ReuseRecord = true
	names, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty", r.path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	names = slices.Clone(names)
	if err := r.columns(names, len(names)); err != nil {
		return err
	}
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.path, err)
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "\x00", "\r")
		}
		line, _ := rows.FieldPos(0)
		if err := r.row(cells, line); err != nil {
			return err
		}
	}
}

// quotedReturns reads CSV with a zero byte, which no id has, in the place of each carriage return between
// quotes: [csv.Reader] would drop one before a line feed there.
type quotedReturns struct {
	in     *bufio.Reader
	quoted bool
}

func (q *quotedReturns) Read(p []byte) (int, error) {
	n, err := q.in.Read(p)
	for i, c := range p[:n] {
		switch {
		case c == '"': // one within a cell is doubled
			q.quoted = !q.quoted
		case c == '\r' && q.quoted:
			p[i] = 0
		case c == 0:
			return i, errors.New("it has a zero byte, and is no csv")
		}
	}
	return n, err
}

// eachLine calls f with each line that is not empty.
func (r *resultRows) eachLine(in io.Reader, f func(line string, number int) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	n := 0
	for lines.Scan() {
		if n++; lines.Text() == "" {
			continue
		}
		if err := f(lines.Text(), n); err != nil && lines.Err() == nil { // else the line is what an error left of one
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s behind line %d: %w", r.path, n, err)
	}
	return nil
}

func (r *resultRows) tsv(in io.Reader) error {
	return r.eachLine(in, func(line string, number int) error {
		cells := strings.Split(line, "\t")
		for i := range cells[1:] {
			if cells[i+1] == "inf" || cells[i+1] == "-inf" { // as results have what was not reached
				cells[i+1] = ""
			}
		}
		if r.at == nil {
			if err := r.columns(nil, len(cells)); err != nil {
				return err
			}
		}
		return r.row(cells, number)
	})
}

func (r *resultRows) ndjson(in io.Reader) error {
	return r.eachLine(in, func(line string, number int) error {
		values := json.NewDecoder(strings.NewReader(line))
		values.UseNumber()
		var row map[string]any
		if err := values.Decode(&row); err != nil {
			return fmt.Errorf("%s:%d: %w", r.path, number, err)
		}
		id, there := row["id"]
		if !there {
			return fmt.Errorf(`%s:%d: the row has no "id"`, r.path, number)
		}
		for _, c := range r.where {
			value, there := row[c.column]
			if !there {
				return fmt.Errorf("%s:%d: the row has no column %q", r.path, number, c.column)
			}
			if value == nil || !c.holds(fmt.Sprint(value)) {
				return nil
			}
		}
		return r.found(fmt.Sprint(id), number)
	})
}
