package columnread

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/columnar"
)

// npyFile is a file of that version with that header, and rows.
func npyFile(version byte, header, rows string) []byte {
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), rows...)
}

// TestNPYHeaders: headers as NumPy writes them, and what is refused.
func TestNPYHeaders(t *testing.T) {
	const tail = ", 'fortran_order': False, 'shape': (2,), }  \n"
	for _, test := range []struct {
		name          string
		version       byte
		header, rows  string
		columns, want string // or an error
		kind          error
	}{
		{"integers of one byte", 1, "{'descr': [('id', '|u1'), ('x', '|i1')]" + tail, "\xff\xff\x01\x02", "id:|u1 x:|i1", "255,-1 1,2", nil},
		{"16 and 32 bits", 2, "{'descr': [('id', '<u2'), ('x', '<i4')]" + tail, "\x01\x01\xfe\xff\xff\xff\x02\x00\x05\x00\x00\x00", "id:<u2 x:<i4", "257,-2 2,5", nil},
		{"a mask", 1, "{'descr': [('id', '|u1'), ('x', '|i1'), ('x_null', '|b1')]" + tail, "\x01\x02\x00\x03\x04\x01", "id:|u1 x:|i1", "1,2 3,null", nil},
		{"a bool that is no mask", 1, "{'descr': [('id', '|u1'), ('x_null', '|b1')]" + tail, "\x01\x02\x03\x04", "id:|u1 x_null:|b1", "1 3", nil},
		{"names in UTF-8", 3, "{'descr': [('id', '|u1'), ('größe\\t', '|u1')]" + tail, "\x01\x02\x03\x04", "id:|u1 größe\t:|u1", "1,2 3,4", nil},
		{"names in Latin-1", 1, "{'descr': [('id', '|u1'), (\"gr\xf6'e\", '|u1')]" + tail, "\x01\x02\x03\x04", "id:|u1 grö'e:|u1", "1,2 3,4", nil},
		{"a long of Python 2", 1, "{'descr': [('id', '|S2')], 'fortran_order': False, 'shape': (2L,)}", "ab\x00\x00", "id:string", `"ab" ""`, nil},
		{"big-endian", 1, "{'descr': [('id', '|u1'), ('x', '>i2')]" + tail, "\x01\x02\x03\x04\x05\x06", "id:|u1 x:>i2", "1 4", nil},

		{"no fields", 1, "{'descr': '<f8'" + tail, "", "", "expected an array of one dimension with fields", ErrUnsupported},
		{"two dimensions", 1, "{'descr': [('id', '|u1')], 'shape': (2, 2)}", "", "", "expected an array of one dimension", ErrUnsupported},
		{"objects", 1, "{'descr': [('id', '|O')]" + tail, "", "", `field "id" is of type "|O"`, ErrUnsupported},
		{"an array in a field", 1, "{'descr': [('id', '|u1', (3,))]" + tail, "", "", "a field of fields, or of arrays", ErrUnsupported},
		{"version 4", 4, "{}", "", "", "version 4", ErrUnsupported},
		{"no shape", 1, "{'descr': [('id', '|u1')]}", "", "", "no shape", ErrDamaged},
		{"no literal", 1, "{'descr': [('id', '|u1')", "", "", "no Python literal", ErrDamaged},
		{"deep", 1, strings.Repeat("[", 5000), "", "", "no Python literal", ErrDamaged},
		{"fewer rows", 1, "{'descr': [('id', '|u1')]" + tail, "\x01", "", "2 rows of 1 bytes do not fill its 1 bytes", ErrDamaged},
		{"more rows", 1, "{'descr': [('id', '|u1')]" + tail, "\x01\x01\x01", "", "do not fill its 3 bytes", ErrDamaged},
		{"a negative number of rows", 1, "{'descr': [('id', '|u1')], 'shape': (-1,)}", "", "", "-1 rows", ErrDamaged},
		{"absurdly many rows", 1, "{'descr': [('id', '<u8')], 'shape': (9223372036854775807,)}", "", "", "do not fill", ErrDamaged},
		{"rows of no bytes", 1, "{'descr': []" + tail, "", "", "2 rows of 0 bytes", ErrDamaged},
		{"no character", 1, "{'descr': [('id', '<U1')]" + tail, "a\x00\x00\x00\x00\xd8\x00\x00", "", `row 1, field "id": the file is damaged: 0xd800 is no character`, ErrDamaged},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.npy")
			if err := os.WriteFile(path, npyFile(test.version, test.header, test.rows), 0o600); err != nil {
				t.Fatal(err)
			}
			var names, got []string
			var kinds []columnar.Kind
			pick := func(list []columnar.Column) (picked []int, err error) {
				for i, c := range list {
					if names = append(names, c.Name+":"+c.Type); c.Kind != columnar.None {
						picked, kinds = append(picked, i), append(kinds, c.Kind)
					}
				}
				return picked, nil
			}
			err := NPY(path, limit, pick, func(_ int64, n int, v []columnar.Values) error {
				for i := range n {
					var row []string
					for k := range v {
						row = append(row, cell(kinds[k], &v[k], i))
					}
					got = append(got, strings.Join(row, ","))
				}
				return nil
			})
			if test.kind != nil {
				if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %s", err, test.want)
				}
				return
			}
			if err != nil || strings.Join(names, " ") != test.columns || strings.Join(got, " ") != test.want {
				t.Errorf("got %v, %q, %q, want %q, %q", err, names, got, test.columns, test.want)
			}
		})
	}
}

// FuzzLiteral: whatever a header is, it is parsed or refused.
func FuzzLiteral(f *testing.F) {
	f.Add([]byte("{'descr': [('id', '<U5'), ('x\\u00e9', '<f4')], 'fortran_order': False, 'shape': (2,), }"), true)
	f.Add([]byte("[None, True, -12L, \"'\"]"), false)
	f.Fuzz(func(_ *testing.T, b []byte, latin1 bool) {
		v, err := parseLiteral(b, latin1)
		if err == nil {
			_ = (&npyHeader{}).describe(v)
		}
	})
}
