package kernels

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/gas/compiled"
)

// Assemble returns the PTX of a template's kernel for a program.
func Assemble(name string, f compiled.Fragments) (string, error) {
	template, err := Template(name)
	if err != nil {
		return "", err
	}
	text, err := splice(template, f, strings.HasSuffix(name, wideSuffix))
	if err != nil {
		return "", fmt.Errorf("assembling kernel %s for program %s: %w", name, f.Program, err)
	}
	return text, nil
}

const marker = "// garaph: "

// wideSuffix ends the names of templates that read weights of 8 bytes.
const wideSuffix = "_wide"

// splicer is one assembly. Variables of a kernel are registers of its own, with
// names that neither nvcc nor fragments use: one for each leaf.
type splicer struct {
	fragments compiled.Fragments
	wide      bool            // weights are float64
	reads     map[string]bool // inputs of the fragments that the template calls
	numbered  []string        // variables g0, g1 ... of the template
	out       strings.Builder
}

// variables are those of the program's types, by whether they are values or
// accumulators.
var variables = map[string]bool{
	"src": true, "dst": true, "old": true, "new": true, "value": true, "outV": true,
	"acc": false, "a": false, "b": false, "outA": false,
}

// scalars are the rest, with their kinds.
var scalars = []struct {
	name string
	kind compiled.Kind
}{
	{"v.id", compiled.Uint32},
	{"v.n", compiled.Uint32},
	{"v.in", compiled.Uint32},
	{"v.out", compiled.Uint32},
	{"edge.weight", compiled.Float32},
	{"edge.wide", compiled.Float64},
	{"step.iteration", compiled.Int64},
	{"step.aggregate", compiled.Float64},
	{"flag", compiled.Bool},
	{"sum", compiled.Float64},
	{"fault", compiled.Uint32},
	{"guarded", compiled.Uint32},
}

// register returns the name of the register of a variable or a scalar.
func register(name string) string { return "%garaph_" + strings.ReplaceAll(name, ".", "_") }

func leaf(variable string, i int) string { return register(fmt.Sprintf("%s_%d", variable, i)) }

// class returns the type of a PTX register for a kind. Registers of bits serve both integers and
// floats.
func class(k compiled.Kind) string {
	if k.Size() == 8 {
		return ".b64"
	}
	return ".b32"
}

func splice(template string, f compiled.Fragments, wide bool) (string, error) {
	s := &splicer{fragments: f, wide: wide, reads: map[string]bool{}}
	lines := strings.Split(template, "\n")
	for _, line := range lines {
		if words, ok := command(line); ok {
			s.note(words)
		}
	}
	entry := false
	for _, line := range lines {
		switch words, ok := command(line); {
		case ok:
			if err := s.command(words); err != nil {
				return "", fmt.Errorf("marker %q: %w", strings.Join(words, " "), err)
			}
		case strings.TrimSpace(line) == "// begin inline asm", strings.TrimSpace(line) == "// end inline asm":
		case line == "{" && entry:
			s.out.WriteString("{\n")
			s.declare()
			entry = false
		default:
			entry = entry || strings.Contains(line, ".entry ")
			s.out.WriteString(line + "\n")
		}
	}
	return strings.TrimRight(s.out.String(), "\n") + "\n", nil
}

// note remembers what a marker's command reads, and which variables there are.
func (s *splicer) note(words []string) {
	method := ""
	switch words[0] {
	case "call", "optional":
		method = words[1]
		s.number(words[2])
	case "sum", "window":
		method = "Sum"
	case "move":
		s.noteAll(words[2])
	case "swap":
		s.noteAll("old")
	default:
		return
	}
	fragment, _ := s.method(method)
	for _, input := range fragment.Inputs {
		s.reads[input] = true
	}
}

// noteAll remembers that all of a variable is read.
func (s *splicer) noteAll(variable string) {
	layout, err := s.layout(variable)
	for i := range layout.Leaves {
		if err == nil {
			s.reads[fmt.Sprintf("%s.%d", variable, i)] = true
		}
	}
}

// number takes note of a numbered variable, g0, g1 ...: accumulators of a
// template that holds several at once.
func (s *splicer) number(variable string) {
	if isNumbered(variable) && !slices.Contains(s.numbered, variable) {
		s.numbered = append(s.numbered, variable)
	}
}

func isNumbered(variable string) bool {
	_, err := strconv.ParseUint(strings.TrimPrefix(variable, "g"), 10, 8)
	return err == nil && strings.HasPrefix(variable, "g")
}

// command returns the words of a marker.
func command(line string) ([]string, bool) {
	text, ok := strings.CutPrefix(strings.TrimSpace(line), marker)
	words := strings.Fields(text)
	return words, ok && len(words) > 0
}

func (s *splicer) printf(format string, args ...any) { fmt.Fprintf(&s.out, "\t"+format+"\n", args...) }

// layout returns the layout of a variable.
func (s *splicer) layout(variable string) (compiled.Layout, error) {
	value, ok := variables[variable]
	if !ok && !isNumbered(variable) {
		return compiled.Layout{}, fmt.Errorf("no variable %s", variable)
	}
	if value {
		return s.fragments.Value, nil
	}
	return s.fragments.Accumulator, nil
}

// declare makes the registers of all variables, at the head of the kernel.
func (s *splicer) declare() {
	for _, name := range []string{"src", "dst", "old", "new", "value", "outV", "acc", "a", "b", "outA"} {
		s.declareVariable(name)
	}
	for _, name := range s.numbered {
		s.declareVariable(name)
	}
	for i, l := range s.fragments.Parameters.Leaves {
		s.printf(".reg %s %s;", class(l.Kind), leaf("param", i))
	}
	for _, x := range scalars {
		s.printf(".reg %s %s;", class(x.kind), register(x.name))
	}
	s.printf("mov.b32 %s, 0;", register("fault"))
}

func (s *splicer) declareVariable(name string) {
	layout, _ := s.layout(name)
	for i, l := range layout.Leaves {
		s.printf(".reg %s %s;", class(l.Kind), leaf(name, i))
	}
}
