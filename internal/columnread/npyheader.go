package columnread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/garaph/garaph/internal/columnar"
)

// npyHeader describes a NumPy file (numpy.lib.format) of a structured array of one dimension.
type npyHeader struct {
	fields []npyField // those that are columns
	rows   int64
	row    int64 // bytes of one
	bytes  int64 // before the first row
}

// npyField is where a column lies in a row.
type npyField struct {
	columnar.Column
	at, size int
	wide     bool // text has 4 bytes a character
	mask     int  // the byte that says whether the value is none; -1: there is none
}

const (
	npyMagic     = "\x93NUMPY"
	maxNPYHeader = 1 << 20
	maxNPYRow    = 1 << 30
)

// readNPYHeader reads magic, version, and a length of 2 bytes in version 1 and 4 after it, and a Python literal.
func readNPYHeader(in io.Reader) (*npyHeader, error) {
	head := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(npyMagic)]) != npyMagic {
		return nil, fmt.Errorf("%w: it does not begin as a NumPy file does", ErrDamaged)
	}
	major := head[len(npyMagic)]
	if major < 1 || major > 3 {
		return nil, fmt.Errorf("%w: it is of version %d of the NumPy format", ErrUnsupported, major)
	}
	length := make([]byte, 4)
	used := 4
	if major == 1 {
		used = 2
	}
	if _, err := io.ReadFull(in, length[:used]); err != nil {
		return nil, headerEnds(err)
	}
	n := binary.LittleEndian.Uint32(length)
	if n > maxNPYHeader {
		return nil, fmt.Errorf("%w: its header has %d bytes", ErrUnsupported, n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, headerEnds(err)
	}
	h := &npyHeader{bytes: int64(len(head)+used) + int64(n)}
	literal, err := parseLiteral(text, major < 3)
	if err == nil {
		err = h.describe(literal)
	}
	if err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	return h, nil
}

func headerEnds(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends within its header", ErrDamaged)
	}
	return err
}

// describe takes what there is from the header.
func (h *npyHeader) describe(literal any) error {
	dict, _ := literal.(map[string]any)
	shape, _ := dict["shape"].([]any)
	if dict["descr"] == nil || shape == nil {
		return fmt.Errorf("%w: it has no descr or no shape", ErrDamaged)
	}
	fields, ok := dict["descr"].([]any)
	if !ok || len(shape) != 1 {
		return fmt.Errorf("%w: expected an array of one dimension with fields, the first for ids, as garaph run writes it", ErrUnsupported)
	}
	if h.rows, ok = shape[0].(int64); !ok {
		return fmt.Errorf("%w: its shape is no number", ErrDamaged)
	}
	for _, f := range fields {
		if err := h.field(f); err != nil {
			return err
		}
	}
	return nil
}

// npyType is a byte order, a kind, and the number of bytes, or of characters; of times, a unit.
var npyType = regexp.MustCompile(`^([<>|=]?)([biufcSaUVmM])(\d{1,9})(\[.*\])?$`)

// field adds a field to the row, and, where it is no mask, to the columns.
func (h *npyHeader) field(literal any) error {
	parts, _ := literal.([]any)
	if len(parts) < 2 {
		return fmt.Errorf("%w: a field without a type", ErrDamaged)
	}
	name, named := parts[0].(string)
	kind, typed := parts[1].(string)
	if !named || !typed || len(parts) > 2 {
		return fmt.Errorf("%w: a field of fields, or of arrays", ErrUnsupported)
	}
	match := npyType.FindStringSubmatch(kind)
	if match == nil {
		return fmt.Errorf("%w: field %q is of type %q", ErrUnsupported, name, kind)
	}
	f := npyField{Column: columnar.Column{Name: name, Type: kind}, at: int(h.row), mask: -1}
	f.size, _ = strconv.Atoi(match[3]) // digits
	if match[2] == "U" {
		f.size *= 4
	}
	if h.row += int64(f.size); h.row > maxNPYRow {
		return fmt.Errorf("%w: rows of %d bytes", ErrUnsupported, h.row)
	}
	if last := len(h.fields) - 1; last >= 0 && match[2] == "b" && f.size == 1 && name == h.fields[last].Name+"_null" {
		h.fields[last].mask = f.at
		return nil
	}
	if match[1] != ">" {
		f.kind(match[2])
	}
	h.fields = append(h.fields, f)
	return nil
}

// kind is what values are: nothing that is read, if it is not one of these.
func (f *npyField) kind(letter string) {
	integer := f.size == 1 || f.size == 2 || f.size == 4 || f.size == 8
	switch {
	case letter == "i" && integer:
		f.Kind = columnar.Int
	case letter == "u" && integer:
		f.Kind = columnar.Uint
	case letter == "f" && f.size == 4:
		f.Kind, f.Type = columnar.Float, "float"
	case letter == "f" && f.size == 8:
		f.Kind, f.Type = columnar.Float, "double"
	case letter == "U":
		f.Kind, f.Type, f.wide = columnar.Text, "string", true
	case letter == "S":
		f.Kind, f.Type = columnar.Text, "string"
	}
}
