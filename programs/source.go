package programs

import _ "embed" // for the text of the programs

// Each program knows its text, so that a job is resumed by a build with the same
// program in it (gas.Sourced).
var (
	//go:embed bfs.go
	bfsSource string
	//go:embed pagerank.go
	pageRankSource string
	//go:embed pagerank_personalised.go
	personalisedPageRankSource string
	//go:embed pagerank_biased.go
	biasedPageRankSource string
	//go:embed sssp.go
	ssspSource string
	//go:embed wcc.go
	wccSource string
	//go:embed sswp.go
	sswpSource string
	//go:embed kcore.go
	kcoreSource string
	//go:embed lpa.go
	lpaSource string
	//go:embed katz.go
	katzSource string
	//go:embed heat.go
	heatSource string
	//go:embed circuit.go
	circuitSource string
	//go:embed neural.go
	neuralSource string
)

// SourceText is the text of this program.
func (BFS) SourceText() string { return bfsSource }

// SourceText is the text of this program.
func (PageRank[F]) SourceText() string { return pageRankSource }

// SourceText is the text of this program, and of PageRank.
func (PersonalisedPageRank[F]) SourceText() string {
	return personalisedPageRankSource + pageRankSource
}

// SourceText is the text of this program.
func (BiasedPageRank[F]) SourceText() string { return biasedPageRankSource }

// SourceText is the text of this program.
func (SSSP[F]) SourceText() string { return ssspSource }

// SourceText is the text of this program.
func (WCC) SourceText() string { return wccSource }

// SourceText is the text of this program.
func (SSWP[F]) SourceText() string { return sswpSource }

// SourceText is the text of this program.
func (KCore) SourceText() string { return kcoreSource }

// SourceText is the text of this program.
func (LPA) SourceText() string { return lpaSource }

// SourceText is the text of this program.
func (Katz[F]) SourceText() string { return katzSource }

// SourceText is the text of this program.
func (Heat) SourceText() string { return heatSource }

// SourceText is the text of this program.
func (Circuit) SourceText() string { return circuitSource }

// SourceText is the text of this program.
func (Neural) SourceText() string { return neuralSource }
