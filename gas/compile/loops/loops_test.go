package loops_test

import (
	"os"
	"testing"

	"github.com/garaph/garaph/gas/compile/loops"
	"github.com/garaph/garaph/gas/compile/source"
)

func TestTry(t *testing.T) {
	p, err := source.Load("../../..", []string{"./programs"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := loops.Generate(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		os.WriteFile(f.Path, f.Text, 0o666)
	}
}
