package ptx

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"sync"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/garaph/garaph/internal/devicemath"
)

const devicePath = "github.com/garaph/garaph/internal/devicemath"

// declarations are the functions that devicemath imports, without bodies: it can be checked
// where there is no source of the standard library.
var declarations = map[string]string{
	"math": `package math
const MaxFloat64 = 0x1p1023 * (1 + (1 - 0x1p-52))
func Abs(x float64) float64
func Copysign(f, sign float64) float64
func FMA(x, y, z float64) float64
func Float64bits(f float64) uint64
func Float64frombits(b uint64) float64
func Floor(x float64) float64
func Inf(sign int) float64
func NaN() float64
func Sqrt(x float64) float64
`,
	"math/bits": `package bits
func LeadingZeros64(x uint64) int
`,
	"embed": `package embed
type FS struct{}
`,
}

type declared struct{ fset *token.FileSet }

func (d declared) Import(path string) (*types.Package, error) {
	text, ok := declarations[path]
	if !ok {
		return nil, fmt.Errorf("devicemath imports %s, which is not declared", path)
	}
	file, err := parser.ParseFile(d.fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{IgnoreFuncBodies: true}
	return config.Check(path, d.fset, []*ast.File{file}, nil)
}

// device is package devicemath in SSA form.
var device = sync.OnceValues(func() (*ssa.Package, error) {
	fset := token.NewFileSet()
	names, err := fs.Glob(devicemath.Source, "*.go")
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		text, err := devicemath.Source.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	pkg := types.NewPackage(devicePath, "devicemath")
	built, _, err := ssautil.BuildPackage(&types.Config{Importer: declared{fset}}, fset, pkg, files,
		ssa.InstantiateGenerics)
	return built, err
})
