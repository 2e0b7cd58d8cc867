package garaph

import (
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/algorithms/community"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/ingest"
)

// Options of the calls of this package. The zero value of each is usable; [Slog] makes a Log of a slog.Logger.
type (
	// RunOptions configures [Run]; [dispatcher.Options] has its fields. Iterations may be [Forever].
	RunOptions = dispatcher.Options
	// GPUOptions configures the GPU of a run; [dispatcher.GPUOptions] has its fields.
	GPUOptions = dispatcher.GPUOptions
	// Checkpoints says when a job writes its state to disk while it runs; [checkpoint.Policy] has its fields. The zero
	// value is never; an interrupted job writes its state in any case.
	Checkpoints = checkpoint.Policy
	// AlgorithmOptions configures [RunAlgorithm]; [algorithms.Options] has its fields.
	AlgorithmOptions = algorithms.Options
	// ImportOptions configures [Import]; [ingest.Options] has its fields.
	ImportOptions = ingest.Options
	// EdgeOptions selects the edges that a graph gets; [ingest.EdgeOptions] has its fields.
	EdgeOptions = ingest.EdgeOptions
	// ExportOptions configures [Graph.Export]; [export.Options] has its fields.
	ExportOptions = export.Options
	// CommunityOptions configures [FindCommunities]; [community.Options] has its fields.
	CommunityOptions = community.Options
)

// What becomes of parallel edges: they stay, or one does, with the least, the largest or the sum of their weights, or
// with their number.
const (
	ParallelKeep  = ingest.ParallelKeep
	ParallelMin   = ingest.ParallelMin
	ParallelMax   = ingest.ParallelMax
	ParallelSum   = ingest.ParallelSum
	ParallelCount = ingest.ParallelCount
)

const (
	// Forever is the value of RunOptions.Iterations with which a program that is [gas.Endless] runs
	// until the context ends. For other programs it is equivalent to 0.
	Forever = -1
	// ParentColumn is the name of the column of parents.
	ParentColumn = "parent"
)
