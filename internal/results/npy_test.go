package results

import (
	"encoding/binary"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/decimal"
)

var npyDict = regexp.MustCompile(`^\{'descr': \[\('id', '([^']+)'\), \('result', '([^']+)'\)\], 'fortran_order': ` +
	`False, 'shape': \((\d+),\), \} *\n$`)

func TestNPY(t *testing.T) {
	for _, m := range append(
		append(tables(stranger), tables([]string{"valid", "ünïcode", "", "a\nb", "\U0001F600"})[8:]...), empty(),
	) {
		data := write(t, NPY, m)
		if string(data[:8]) != "\x93NUMPY\x01\x00" {
			t.Fatalf("magic %q", data[:8])
		}
		start := 10 + int(binary.LittleEndian.Uint16(data[8:]))
		dict := npyDict.FindStringSubmatch(string(data[10:start]))
		if start%64 != 0 || dict == nil || dict[3] != strconv.FormatInt(m.rows, 10) {
			t.Fatalf("header of %d bytes: %q", start, data[10:start])
		}
		rest := data[start:]
		got := [][2]string{}
		for range m.rows {
			var row [2]string
			for i := range row {
				row[i], rest = readField(t, dict[1+i], rest)
			}
			got = append(got, row)
		}
		if len(rest) != 0 {
			t.Errorf("%d bytes too many", len(rest))
		}
		same(t, m, got, m.want())
	}
}

func readField(t *testing.T, kind string, b []byte) (string, []byte) {
	switch kind {
	case "<i8":
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10), b[8:]
	case "<u8":
		return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10), b[8:]
	case "<f4":
		return special(decimal.Format(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)), b[4:]
	case "<f8":
		return special(decimal.Format(math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)), b[8:]
	}
	width, err := strconv.Atoi(kind[2:])
	if err != nil {
		t.Fatal(kind)
	}
	if strings.HasPrefix(kind, "<U") {
		var s []rune
		for i := range width {
			s = append(s, rune(binary.LittleEndian.Uint32(b[4*i:])))
		}
		return strings.TrimRight(string(s), "\x00"), b[4*width:]
	}
	return strings.TrimRight(string(b[:width]), "\x00"), b[width:]
}

func TestNPYRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
	}{
		"too wide":        {strings.Repeat("x", 5000), "write parquet instead"},
		"NUL at the end":  {"a\x00", "ends with a NUL"},
		"long value name": {"a", "too long for npy"},
	} {
		m := &memory{ids: IDString, name: "result"}
		m.setStrings([]string{c.text})
		if strings.Contains(name, "name") {
			m.name = strings.Repeat("n", 70_000)
		}
		if err := Write(io.Discard, NPY, m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := pythonString("l'été"); got != `"l'\u00e9t\u00e9"` {
		t.Error(got)
	}
}
