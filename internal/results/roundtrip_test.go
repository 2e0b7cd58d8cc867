package results

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func same(t *testing.T, m *memory, got, want [][2]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v, %v (- want, + got):\n%s", m.ids, m.values, diff)
	}
}

func empty() *memory { return &memory{name: "result"} }

func TestTSV(t *testing.T) {
	for _, m := range append(tables(strange), empty()) {
		got := [][2]string{}
		for line := range strings.Lines(string(write(t, TSV, m))) {
			id, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			got = append(got, [2]string{id, value})
		}
		same(t, m, got, m.want())
	}
	for _, s := range []string{"a\tb", "a\nb", "a\r"} {
		m := &memory{ids: IDString, rows: 1}
		m.setStrings([]string{s})
		if err := Write(io.Discard, TSV, m); err == nil || !strings.Contains(err.Error(), strconv.Quote(s)) {
			t.Errorf("%q: got %v", s, err)
		}
	}
}

func TestCSV(t *testing.T) {
	for _, m := range append(tables(stranger), empty()) {
		m.name = `the "result", here`
		rows, err := csv.NewReader(bytes.NewReader(write(t, CSV, m))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"id", m.name}, rows[0]); diff != "" {
			t.Error(diff)
		}
		got, want := [][2]string{}, m.want()
		for _, r := range rows[1:] {
			got = append(got, [2]string{r[0], r[1]})
		}
		for i := range want { // encoding/csv reads \r\n in quotes as \n
			for j := range want[i] {
				want[i][j] = strings.ReplaceAll(want[i][j], "\r\n", "\n")
			}
		}
		same(t, m, got, want)
	}
}

func TestNDJSON(t *testing.T) {
	for _, m := range append(tables(stranger), empty()) {
		m.name = `the "result"`
		got, want := [][2]string{}, m.want()
		lines := bufio.NewScanner(bytes.NewReader(write(t, NDJSON, m)))
		for lines.Scan() {
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.UseNumber()
			row := map[string]any{}
			if err := d.Decode(&row); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			_, isText := row["id"].(string)
			if len(row) != 2 || isText != (m.ids == IDString) {
				t.Fatalf("unexpected row %s", lines.Text())
			}
			got = append(got, [2]string{fmt.Sprint(row["id"]), fmt.Sprint(row[m.name])})
		}
		for i := range want { // JSON is UTF-8
			for j := range want[i] {
				want[i][j] = string([]rune(want[i][j])) // each invalid byte to U+FFFD
			}
		}
		same(t, m, got, want)
	}
}

func TestCompression(t *testing.T) {
	m := tables(strange)[0]
	plain := write(t, TSV, m)
	z, err := gzip.NewReader(bytes.NewReader(write(t, "tsv.gz", m)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("gzip: %v", err)
	}
	s, err := zstd.NewReader(bytes.NewReader(write(t, "tsv.zst", m)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("zstd: %v", err)
	}
}

// TestNames checks that readers distinguish columns by name.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{"": "id,value\n", "id": "id,value\n", "a,b": "id,\"a,b\"\n"} {
		if got := string(write(t, CSV, &memory{name: name})); got != want {
			t.Errorf("%q: got %q", name, got)
		}
	}
}

// TestCSVNoComments checks that edge lists and other readers take lines that begin so for comments.
func TestCSVNoComments(t *testing.T) {
	for name, want := range map[string]string{"#food": `"#food"`, "%x": `"%x"`, "a#": "a#"} {
		if got, err := appendCSV(nil, name); err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v", name, got, err)
		}
	}
}
