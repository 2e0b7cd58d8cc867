// Package all registers all formats of edge lists.
package all

import (
	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/adjacency"
	"github.com/garaph/garaph/ingest/format/columns"
	"github.com/garaph/garaph/ingest/format/gap"
	"github.com/garaph/garaph/ingest/format/graphml"
	"github.com/garaph/garaph/ingest/format/mtx"
	"github.com/garaph/garaph/ingest/format/text"
)

func init() {
	format.Register(text.Formats...)
	format.Register(mtx.Formats...)
	format.Register(gap.Formats...)
	format.Register(adjacency.Formats...)
	format.Register(graphml.Formats...)
	format.Register(columns.Formats...)
}
