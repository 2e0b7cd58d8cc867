// Package kernels has the GPU kernels of garaph. Each has a template in CUDA C++ (.cu),
// the PTX that nvcc made of it, and a Go file with its arguments in the layout of
// C, its launch, and its arithmetic for an emulated device. A kernel is assembled from its
// template and the fragments of a vertex program. Neither building garaph nor
// running it needs a CUDA toolkit: the driver compiles assembled PTX.
//
// Where a template calls a method of the program, its PTX holds a comment, a
// marker, which [Assemble] replaces by the method's fragment, so that a kernel
// contains no call: ptxas does not inline functions of PTX.
package kernels

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:generate ./generate.sh

//go:embed *.ptx
var templates embed.FS

// Names lists the templates.
func Names() []string {
	files, err := fs.Glob(templates, "*.ptx")
	if err != nil {
		return nil // no such pattern
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".ptx")
	}
	slices.Sort(files)
	return files
}

// Template returns the PTX of a template, with its markers.
func Template(name string) (string, error) {
	text, err := templates.ReadFile(name + ".ptx")
	if err != nil {
		return "", fmt.Errorf("no kernel template %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return string(text), nil
}

// entry returns the name of a template's function.
func entry(name string) string { return "garaph_" + name }
