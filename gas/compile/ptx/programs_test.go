package ptx_test

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/garaph/garaph/examples/influence"
	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/ptx/testdata/subset"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/fragmentcall"
	"github.com/garaph/garaph/programs"
)

var inputs = flag.Int("inputs", 5_000, "random inputs for each method of each program")

// builtin are the programs that come with garaph: a new one is to be added, or
// [TestMethods] fails.
var builtin = []any{
	programs.BFS{}, programs.WCC{}, programs.SSSP[float32]{}, programs.SSSP[float64]{},
	programs.PageRank[float32]{}, programs.PageRank[float64]{},
	programs.PersonalisedPageRank[float32]{}, programs.PersonalisedPageRank[float64]{}, programs.BiasedPageRank[float32]{},
	programs.BiasedPageRank[float64]{},
	programs.SSWP[float32]{}, programs.SSWP[float64]{}, programs.KCore{}, programs.LPA{}, programs.Katz[float32]{},
	programs.Katz[float64]{}, programs.Heat{}, programs.Circuit{}, programs.Neural{},
}

// others are those that test the compiler.
var others = []any{
	subset.Elementary{}, subset.Exact{}, &subset.Struct{}, subset.Faulty{}, subset.Embedding{}, subset.Wide{},
	subset.Flag{}, subset.Small{}, influence.Influence{},
}

var loaded = sync.OnceValues(func() ([]*source.Program, error) {
	return source.Load("../../..", []string{"./programs", "./gas/compile/ptx/testdata/subset"}, nil)
})

// TestMethods checks that every method of every built-in program, and of those that use
// the rest of the subset, gives as a fragment what it gives in Go.
func TestMethods(t *testing.T) {
	list, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]reflect.Type{}
	for _, p := range append(builtin, others...) {
		_, name, _ := strings.Cut(reflect.TypeOf(p).String(), ".")
		byName[strings.ReplaceAll(name, ",", ", ")] = reflect.TypeOf(p)
	}
	for _, p := range list {
		t.Run(p.Name, func(t *testing.T) {
			goType := byName[p.Name]
			if goType == nil {
				t.Fatalf("add %s to the list of this test", p.Name)
			}
			fragments, err := ptx.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			for name, f := range fragmentsOf(&fragments) {
				switch outside := p.Name == "Flag" && name == "Saturated"; {
				case p.Methods[name] == nil:
				case outside:
					if f.Text != "" {
						t.Errorf("%s compiled:\n%s", name, f.Text)
					}
				default:
					t.Run(name, func(t *testing.T) { hold(t, p, &fragments, fragmentcall.MethodOf(goType, name), name) })
				}
			}
		})
	}
}

// hold runs a method on special and on random inputs.
func hold(t *testing.T, p *source.Program, fragments *compiled.Fragments, method *fragmentcall.Method, name string) {
	f, err := prepare(p, fragments, name)
	if err != nil {
		t.Fatal(err)
	}
	loose := usesElementary(fragmentsOf(fragments)[name].Text)
	check := func(in []uint64) {
		want, fault := method.Call(in)
		if err := f.check(in, want, fault, loose); err != nil {
			t.Fatalf("%v\n%s", err, fragmentsOf(fragments)[name].Text)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, in := range specials(method.Inputs()) {
		check(in)
	}
	for range *inputs {
		check(fragmentcall.Inputs(rng, method.Inputs()))
	}
}

// usesElementary recognises math.Exp, Log and Tanh by a coefficient.
func usesElementary(text string) bool {
	return strings.Contains(text, "0d3FE62E42FEE00000")
}

// specials are the special values of each input, with special values of the
// others at random.
func specials(kinds []compiled.Kind) (list [][]uint64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i, k := range kinds {
		for _, x := range fragmentcall.Specials(k) {
			for range 8 {
				in := make([]uint64, len(kinds))
				for n, k := range kinds {
					some := fragmentcall.Specials(k)
					in[n] = some[rng.IntN(len(some))]
				}
				in[i] = x
				list = append(list, in)
			}
		}
	}
	if len(kinds) == 0 {
		list = [][]uint64{{}}
	}
	return list
}
