package programs

import _ "embed" // for the text of the programs

// Each program knows its text, so that a job is resumed by a build with the same
// program in it (gas.Sourced).
var (
	//go:embed bfs.go
	bfsSource string
	//go:embed pagerank.go
	pageRankSource string
	//go:embed sssp.go
	ssspSource string
	//go:embed wcc.go
	wccSource string
)

// SourceText is the text of this program.
func (BFS) SourceText() string { return bfsSource }

// SourceText is the text of this program.
func (PageRank[F]) SourceText() string { return pageRankSource }

// SourceText is the text of this program.
func (SSSP[F]) SourceText() string { return ssspSource }

// SourceText is the text of this program.
func (WCC) SourceText() string { return wccSource }
