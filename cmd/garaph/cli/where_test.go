package cli

import (
	"bufio"
	"slices"
	"strings"
	"testing"
)

// TestReturnsInQuotes: a carriage return between quotes is a part of the id, also before a line feed; one at
// the end of a line is none.
func TestReturnsInQuotes(t *testing.T) {
	var ids []string
	rows := resultRows{path: "r.csv", found: func(id string, _ int) error { ids = append(ids, id); return nil }}
	in := "id,hops\r\n\"a\r\nb\",0\r\n\"a\nb\",1\n\"\"\"\r\",2\nc,3\r\n"
	if err := rows.csv(bufio.NewReaderSize(strings.NewReader(in), 16)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a\r\nb", "a\nb", "\"\r", "c"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
	if err := rows.csv(strings.NewReader("id\na\x00\n")); err == nil || !strings.Contains(err.Error(), "zero byte") {
		t.Errorf("a zero byte: %v", err)
	}
}
