package ptx_test

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compile/ptx"
	"github.com/garaph/garaph/gas/compile/source"
	"github.com/garaph/garaph/internal/fragmentcall"
	"github.com/garaph/garaph/programs"
)

var inputs = flag.Int("inputs", 20_000, "random inputs for each method of each program")

// builtin are the programs that come with garaph: a new one is to be added, or
// [TestBuiltin] fails.
var builtin = []any{
	programs.BFS{}, programs.WCC{}, programs.SSSP[float32]{}, programs.SSSP[float64]{}, programs.PageRank[float32]{}, programs.PageRank[float64]{},
}

var loaded = sync.OnceValues(func() ([]*source.Program, error) {
	return source.Load("../../..", []string{"./programs"}, nil)
})

// TestBuiltin: every method of every built-in program gives, as a fragment,
// what it gives in Go.
func TestBuiltin(t *testing.T) {
	list, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]reflect.Type{}
	for _, p := range builtin {
		name := reflect.TypeOf(p).String()
		byName[strings.ReplaceAll(strings.TrimPrefix(name, "programs."), ",", ", ")] = reflect.TypeOf(p)
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
			for name := range fragmentsOf(&fragments) {
				if p.Methods[name] != nil {
					t.Run(name, func(t *testing.T) { hold(t, p, &fragments, fragmentcall.MethodOf(goType, name), name) })
				}
			}
		})
	}
}

// hold runs a method on special and on random inputs.
func hold(t *testing.T, p *source.Program, fragments *gas.Fragments, method *fragmentcall.Method, name string) {
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

// specials are the special values of each input with those of each other one,
// the rest being special at random.
func specials(kinds []gas.Kind) (list [][]uint64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i, k := range kinds {
		for j := range i + 1 {
			for _, x := range fragmentcall.Specials(k) {
				for _, y := range fragmentcall.Specials(kinds[j]) {
					in := make([]uint64, len(kinds))
					for n, k := range kinds {
						some := fragmentcall.Specials(k)
						in[n] = some[rng.IntN(len(some))]
					}
					in[i], in[j] = x, y
					list = append(list, in)
				}
			}
		}
	}
	if len(kinds) == 0 {
		list = [][]uint64{{}}
	}
	return list
}
