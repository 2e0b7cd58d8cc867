package compiled_test

import (
	"testing"
	"testing/fstest"

	"github.com/garaph/garaph/gas/compiled"
)

// TestFresh checks that any change of a text or of a name counts.
func TestFresh(t *testing.T) {
	files := func(name, text string) fstest.MapFS {
		return fstest.MapFS{"a.go": {Data: []byte("package a")}, name: {Data: []byte(text)}}
	}
	hash, err := compiled.FilesHash(files("b.go", "x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		want       bool
	}{{"b.go", "x", true}, {"b.go", "y", false}, {"c.go", "x", false}, {"b.go", "", false}} {
		if got := compiled.Fresh(files(c.name, c.text), hash); got != c.want {
			t.Errorf("%s, %q: %v", c.name, c.text, got)
		}
	}
}
