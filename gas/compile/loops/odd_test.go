package loops

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/internal/testsize"
)

const oddPackage = "./gas/compile/loops/testdata/odd"

// oddLoops generates the loops of package odd, outside of the tree, and returns an
// overlay for the go command that puts them in their place.
func oddLoops(t testing.TB) (overlay string) {
	t.Helper()
	folder := t.TempDir()
	replace := map[string]string{}
	for i, f := range generate(t, oddPackage) {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(folder, fmt.Sprint(i, ".go"))
		if err := os.WriteFile(replace[path], f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// TestOdd checks that the loops of odd programs do what their methods do.
func TestOdd(t *testing.T) {
	testsize.OnlyLong(t, "it compiles a package and its tests")
	testOdd(t)
}

// BenchmarkOdd runs the benchmarks of package odd, with its loops.
func BenchmarkOdd(b *testing.B) { testOdd(b, "-run", "^$", "-bench", ".") }

func testOdd(t testing.TB, args ...string) {
	test := exec.Command("go", append([]string{"test", "-count=1", "-v", "-overlay", oddLoops(t), "-tags",
		"garaph_generated", oddPackage}, args...)...)
	test.Dir = "../../.."
	out, err := test.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
