package loops

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/internal/testsize"
)

func generate(t testing.TB, packages ...string) []*File {
	t.Helper()
	programs, err := source.Load("../../..", packages, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Generate(programs)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestInlined checks that the Go compiler says of every call of a method in the loops of
// the built-in programs that it inlines it. It is asked without temporary files,
// which a killed command would leave.
func TestInlined(t *testing.T) {
	testsize.OnlyLong(t, "it compiles package programs again")
	files := generate(t, "./programs")
	t.Setenv("GOTMPDIR", t.TempDir()) // the go command's own
	t.Setenv("TMPDIR", "/nonexistent")
	d, err := ask(filepath.Dir(files[0].Path), files)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		perEdge := map[string][]string{}
		for _, c := range calls(f, d) {
			if !c.inlined {
				t.Errorf("%s:%d: the call of %s is not inlined", f.Path, c.line, c.method)
			}
			perEdge[c.loops] = append(perEdge[c.loops], c.method)
		}
		for _, g := range f.groups {
			for _, x := range g.Instances {
				for _, method := range []string{"Gather", "Sum"} {
					if !slices.Contains(perEdge[x.Name], method) {
						t.Errorf("%s: the loops of %s have no call of %s", f.Path, x.Type, method)
					}
				}
			}
		}
	}
}

// TestNoCalls checks that in the machine code of the loops over edges there is no call
// but that of the variant with weights, the end of a bounds check, and the
// growth of a stack. Neither is there one in the others, but of math.
func TestNoCalls(t *testing.T) {
	testsize.OnlyLong(t, "it compiles package programs again")
	object, overlay := filepath.Join(t.TempDir(), "loops.a"), oddLoops(t)
	for _, pkg := range []string{"./programs", oddPackage} {
		build := exec.Command("go", "build", "-overlay", overlay, "-o", object, pkg)
		build.Dir = "../../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command("go", "tool", "objdump", "-s", `Loops\.(due|gather|apply|aggregate)`, object).Output()
		if err != nil {
			t.Fatal(err)
		}
		text, loops, noted := "", 0, []string{}
		symbol := regexp.MustCompile(`^TEXT (\S+)\(SB\)`)
		call := regexp.MustCompile(`\sCALL (\S+)(?:.*R_CALL\w*:(\S+))?`) // without a relocation, the target is in a register
		for line := range strings.Lines(string(out)) {
			if m := symbol.FindStringSubmatch(line); m != nil {
				text = m[1][strings.LastIndex(m[1], "/")+1:]
				loops++
			}
			m := call.FindStringSubmatch(line)
			if m == nil || strings.HasSuffix(text, "-fm") {
				continue // the value of a method
			}
			to, _, _ := strings.Cut(cmp.Or(m[2], m[1]), "<")                                     // of the ABI
			if text == "odd.embedsLoops.apply" || strings.HasPrefix(text, "odd.literalLoops.") { // see TestNotes
				noted = append(noted, to)
				continue
			}
			perEdge := strings.Contains(text, ".gather")
			allowed := strings.HasPrefix(to, "runtime.panic") || strings.HasPrefix(to, "runtime.morestack") ||
				strings.HasSuffix(to, "Weighted") ||
				(!perEdge || pkg != "./programs") && strings.HasPrefix(to, "math.") ||
				strings.HasSuffix(text, ".due") && (to == "runtime.growslice" || to == "runtime.memmove") // before the loop
			if !allowed {
				t.Errorf("%s calls %s", text, to)
			}
		}
		if noted := strings.Join(noted, " "); pkg != "./programs" &&
			(!strings.Contains(noted, "odd.Literal.Gather") || !strings.Contains(noted, "Activate")) {
			t.Errorf("calls that are there were not found: %s", noted)
		}
		if loops < 20 {
			t.Errorf("%s: only %d loops were found", pkg, loops)
		}
	}
}

// TestNotes checks that what is not inlined is said, with the reason, and so is what does
// not run on a GPU.
func TestNotes(t *testing.T) {
	notes := map[string][]string{}
	for _, f := range generate(t, oddPackage) {
		for _, note := range f.Notes {
			at, text, _ := strings.Cut(note, ": ")
			at, _, _ = strings.Cut(at, ".go")
			if !strings.Contains(text, "write ") { // package ptx tests its refusals
				base := filepath.Base(f.Path)
				notes[base] = append(notes[base], filepath.Base(at)+": "+text)
			}
		}
	}
	const copied = " is too large for the Go compiler to inline: its body is copied into the loops; run garaph compile " +
		"again when it changes"
	want := map[string][]string{
		"heavy_garaph.go": {"odd: Heavy.Gather" + copied, "odd: Heavy.Sum" + copied, "odd: Heavy.Apply" + copied},
		"embeds_garaph.go": {"pagerank: Embeds.Activate is called, not inlined: the Go compiler does not inline it; and " +
			"it cannot be copied: it is a method of an embedded type"},
		"literal_garaph.go": {"odd: Literal.Gather is called, not inlined: function too complex: cost 81 exceeds budget " +
			"80; and it cannot be copied: it has a function literal"},
	}
	const copies = ": the method is of an embedded type, changes its receiver or takes its address"
	want["wide_garaph.go"] = []string{"odd: every call of Wide.Apply copies the program" + copies,
		"odd: every call of Wide.Aggregate copies the program" + copies,
		"odd: Wide.Sum" + copied, "odd: Wide.Aggregate" + copied}
	for _, method := range []string{"Settled", "Saturated", "Gather", "Sum", "Apply", "Activate", "Aggregate"} {
		want["namesake_garaph.go"] = append(want["namesake_garaph.go"], "namesake: Namesake."+method+copied)
	}
	if diff := gocmp.Diff(want, notes); diff != "" {
		t.Error(diff)
	}
}

func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"BFS": "bfs", "PageRank[float32]": "pageRankFloat32", "KCore": "kCore", "x": "x", "HTTPServer": "httpServer",
		"Pair[uint32, float64]": "pairUint32Float64", "Über": "über", "P[a.B]": "pAB",
	} {
		if got := identifier(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
