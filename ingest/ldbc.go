package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// LDBC Graphalytics graphs are two text files, x.v with a vertex id per line
// and x.e with "u v [weight]". Vertices without edges are only in x.v.

// vertexFiles finds the .v files that stand beside .e files of the inputs and
// were not named: without them isolated vertices would be lost without a word.
func vertexFiles(plans []*inputPlan, o ReadOptions) ([]*readInput, error) {
	named, edges := make(map[string]bool), false
	for _, p := range plans {
		isVertices := p.schema.Format == LDBC && extension(p.name()) == ".v"
		edges = edges || !isVertices
		if isVertices {
			named[stem(p.name())] = true
		}
	}
	if !edges {
		o.Warn(fmt.Sprintf("%s has vertices only; name the .e file with the edges too", plans[0].name()))
	}
	var found []*readInput
	for _, p := range plans {
		if p.schema.Format != LDBC || extension(p.name()) != ".e" || named[stem(p.name())] {
			continue
		}
		name := Beside(p.name())
		if name == "" {
			continue
		}
		in, err := openInput(name, nil)
		if err != nil {
			return nil, err
		}
		o.Warn(fmt.Sprintf("%s stands beside %s and is read too, for vertices without edges", name, p.name()))
		named[stem(name)] = true
		found = append(found, in)
	}
	return found, nil
}

// Beside is the file of vertices that is read with a file of edges in the format [LDBC]; "" if there is none.
func Beside(edges string) string {
	if extension(edges) != ".e" {
		return ""
	}
	for _, packed := range []string{"", ".gz", ".zst", ".bz2"} {
		name := stem(edges) + ".v" + packed
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// stem is a name without .v or .e and without an ending of compression.
func stem(name string) string {
	ext := extension(name)
	for strings.ToLower(filepath.Ext(name)) != ext {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}
