package kernels_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/kernels"
)

// everyProgram are the fragments of the built-in programs and of those that test
// the compiler.
var everyProgram = sync.OnceValues(func() (list []compiled.Fragments, err error) {
	programs, err := source.Load("..", []string{"./programs", "./gas/compile/ptx/testdata/subset"}, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range programs {
		f, err := ptx.Compile(p)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
})

// eachKernel assembles every template for every program that it can have.
func eachKernel(t *testing.T, f func(t *testing.T, text string)) {
	list, err := everyProgram()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range kernels.Names() {
		seen := map[string]bool{} // a template without markers is the same for all
		for _, fragments := range list {
			if name == "advance" && kernels.CanAdvance(fragments) != nil {
				continue
			}
			if text, err := kernels.Assemble(name, fragments); err == nil {
				if seen[text] {
					continue
				}
				seen[text] = true
			}
			t.Run(name+"/"+fragments.Program, func(t *testing.T) {
				text, err := kernels.Assemble(name, fragments)
				if err != nil {
					t.Fatal(err)
				}
				f(t, text)
			})
		}
	}
}

// TestAssemble checks that kernels have no calls, no markers and no names of inputs left.
func TestAssemble(t *testing.T) {
	eachKernel(t, func(t *testing.T, text string) {
		for _, bad := range []string{"call", "// garaph", "${"} {
			if strings.Contains(text, bad) {
				t.Errorf("%q is left in\n%s", bad, text)
			}
		}
	})
}

// TestFresh checks that the committed PTX comes from the committed templates.
func TestFresh(t *testing.T) {
	headers, err := filepath.Glob("*.cuh") // in the order of their bytes
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range kernels.Names() {
		text, err := kernels.Template(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		for _, file := range append(slices.Clip(headers), strings.TrimSuffix(name, "_wide")+".cu") {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(source)
		}
		if want := fmt.Sprintf("// of %.16x\n", sum.Sum(nil)[:8]); !strings.HasPrefix(text, want) {
			t.Errorf("%s.ptx is not of %s.cu: run go generate ./kernels where nvcc 11.8 is installed", name, name)
		}
		if strings.Contains(text, "_INTERNAL_") {
			t.Errorf("%s.ptx has a name that depends on the folder in which it was compiled: declare shared variables in "+
				"kernels alone", name)
		}
	}
}

// calls are instructions that call a function, and that return from one. For
// sm_80, ptxas also leaves a loop by a CALL to the next instruction, from which
// nothing returns: that one has a label for a target.
var calls = regexp.MustCompile("(?m)^.*\\b(CALL\\b.*`\\(\\$|RET\\b).*$")

// shuffles are calls for a warp that may be divided where its threads exchange registers,
// and returns from them.
var shuffles = regexp.MustCompile(
	"(?m)^.*(CALL.*__cuda_sm70_(shfl|vote|match|warp)sync|RET\\.REL\\.NODEC.*`\\(garaph_).*$",
)

var everyArchitecture = flag.Bool("every-architecture", false,
	"assemble every kernel for GPUs of three generations, instead of one of them each")

// TestPtxas checks that the assembler accepts every kernel, for GPUs of three generations,
// and makes no calls of its own. The short form of tests has every fifth.
func TestPtxas(t *testing.T) {
	testsize.OnlyLong(t, "it assembles all kernels with all programs")
	assembler, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("no ptxas on this machine: install the CUDA toolkit to have kernels assembled")
	}
	disassembler, err := exec.LookPath("nvdisasm")
	if err != nil {
		t.Log("no nvdisasm on this machine: what ptxas makes is not looked at")
	}
	all := []string{"sm_70", "sm_80", "sm_90"}
	dir := t.TempDir()
	n := 0
	eachKernel(t, func(t *testing.T, text string) {
		architectures := all
		if !*everyArchitecture {
			architectures = all[n%len(all):][:1]
		}
		n++
		if !testsize.Long && !*everyArchitecture && n%5 != 0 {
			return
		}
		in, out := filepath.Join(dir, fmt.Sprint(n, ".ptx")), filepath.Join(dir, fmt.Sprint(n, ".cubin"))
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, arch := range architectures {
			if said, err := exec.Command(assembler, "-arch="+arch, in, "-o", out).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s\n%s", arch, err, said, text)
			}
			if disassembler == "" {
				continue
			}
			code, err := exec.Command(disassembler, out).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", arch, err, code)
			}
			code = shuffles.ReplaceAll(code, nil)
			if !strings.Contains(string(code), "EXIT") || calls.Match(code) {
				t.Errorf("%s: the code has a call, or no end:\n%s", arch, calls.Find(code))
			}
		}
	})
}
