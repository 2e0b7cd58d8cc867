package ptx_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"go/format"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/fragmentcall"
)

var (
	randomPrograms = flag.Int("programs", 40, "random programs")
	randomSeed     = flag.Int("seed", 1, "of the first random program")
	randomInputs   = flag.Int("program-inputs", 200, "inputs of each method of a random program")
)

var methodNames = []string{"Zero", "Gather", "Sum", "Apply", "Activate"}

// oracleMain has the Go compiler's answers: for each program, method and input,
// a fault and the results.
const oracleMain = `package main

import (
	"bufio"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"reflect"

	"github.com/garaph/garaph/internal/fragmentcall"
)

func opaque[T any](x T) T { return x }

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for i, p := range []any{PROGRAMS} {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		for _, name := range METHODS {
			m := fragmentcall.MethodOf(reflect.TypeOf(p), name)
			for range INPUTS {
				results, fault := m.Call(fragmentcall.Inputs(rng, m.Inputs()))
				binary.Write(out, binary.LittleEndian, append([]uint64{uint64(fault), uint64(len(results))}, results...))
			}
		}
	}
}
`

// TestRandom checks that random programs, compiled by Go and by this package, give the
// same.
func TestRandom(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: random programs need the Go compiler")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var names []string
	for i := range *randomPrograms {
		name := fmt.Sprintf("P%d", i)
		names = append(names, name+"{}")
		body := program(name).Example(*randomSeed + i)
		text := "package main\n\nimport \"github.com/garaph/garaph/gas\"\n"
		for _, std := range []string{"math/bits", "math"} {
			if strings.Contains(body, filepath.Base(std)+".") {
				text += fmt.Sprintf("import %q\n", std)
			}
		}
		write(t, dir, strings.ToLower(name)+".go", text+body)
	}
	write(t, dir, "main.go",
		strings.NewReplacer("PROGRAMS", strings.Join(names, ", "), "METHODS", fmt.Sprintf("%#v", methodNames),
			"INPUTS", fmt.Sprint(*randomInputs)).Replace(oracleMain))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", string(sums))
	write(t, dir, "go.mod", "module github.com/garaph/garaph/randomprograms\n\ngo 1.26.0\n\nrequire "+
		"github.com/garaph/garaph v0.0.0\n\nreplace github.com/garaph/garaph => "+root+"\n")

	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	answers, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%.3000s", err, stderr.String())
	}
	list, err := source.Load(dir, []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*source.Program{}
	for _, p := range list {
		byName[p.Name] = p
	}
	in := bufio.NewReader(bytes.NewReader(answers))
	faults := 0
	for i := range *randomPrograms {
		p := byName[fmt.Sprintf("P%d", i)]
		text, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("p%d.go", i)))
		fragments, err := ptx.Compile(p)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", *randomSeed+i, err, text)
		}
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		for _, name := range methodNames {
			f, err := prepare(p, &fragments, name)
			if err != nil {
				t.Fatal(err)
			}
			for range *randomInputs {
				want, fault := answer(t, in)
				if fault != compiled.NoFault {
					faults++
				}
				inputs := fragmentcall.Inputs(rng, f.kinds)
				// Which of two faults of an expression comes first is left open.
				if _, got, err := f.run(inputs); err == nil && got != compiled.NoFault && fault != compiled.NoFault {
					fault = got
				}
				if err := f.check(inputs, want, fault, false); err != nil {
					t.Fatalf("program %d: %v\n%s\n%s", *randomSeed+i, err, text, fragmentsOf(&fragments)[name].Text)
				}
			}
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		t.Error("more answers than questions")
	}
	t.Logf("%d programs, %d inputs, %d of them ended in a fault",
		*randomPrograms, *randomPrograms*len(methodNames)**randomInputs, faults)
}

func answer(t *testing.T, in io.Reader) ([]uint64, compiled.Fault) {
	var head [2]uint64
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		t.Fatal(err)
	}
	results := make([]uint64, head[1])
	if err := binary.Read(in, binary.LittleEndian, results); err != nil {
		t.Fatal(err)
	}
	return results, compiled.Fault(head[0])
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if strings.HasSuffix(name, ".go") {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		text = string(formatted)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
