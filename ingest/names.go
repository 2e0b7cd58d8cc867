package ingest

import (
	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/format"
	_ "github.com/garaph/garaph/ingest/format/all" // registers the formats
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// Options of an import, its progress and its report. The packages in ingest/format have the names of
// formats.
type (
	Format         = read.FormatName
	IDMode         = read.IDMode
	WeightMode     = read.WeightMode
	TableOptions   = read.TableOptions
	Worker         = read.Worker
	EdgeOptions    = build.EdgeOptions
	Parallel       = build.Parallel
	StorageOptions = build.StorageOptions
	Progress       = build.Progress
	Phase          = build.Phase
	Report         = build.Report
)

// Values of options.
const (
	Auto      = read.Auto
	StdinName = read.StdinName

	IDsAuto   = read.IDsAuto
	IDsDense  = read.IDsDense
	IDsInt    = read.IDsInt
	IDsString = read.IDsString

	WeightsAuto    = read.WeightsAuto
	WeightsYes     = read.WeightsYes
	WeightsNo      = read.WeightsNo
	WeightsFloat32 = read.WeightsFloat32
	WeightsFloat64 = read.WeightsFloat64

	HeaderAuto = read.HeaderAuto
	HeaderYes  = read.HeaderYes
	HeaderNo   = read.HeaderNo

	ParallelKeep  = build.ParallelKeep
	ParallelMin   = build.ParallelMin
	ParallelMax   = build.ParallelMax
	ParallelSum   = build.ParallelSum
	ParallelCount = build.ParallelCount

	Reading = build.Reading
	Sorting = build.Sorting
)

// Functions of the packages below.
var (
	Formats     = format.Names
	WeightModes = read.WeightModes
	Parallels   = build.Parallels
	LeastMemory = build.LeastMemory
	CheckInputs = read.CheckInputs
	Beside      = text.Beside
)

// Errors of an import.
var (
	ErrEmpty  = build.ErrEmpty
	ErrMemory = build.ErrMemory
	ErrLeast  = build.ErrLeast
)
