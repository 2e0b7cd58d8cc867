package cli

import (
	"encoding/json"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/store"
)

// communityReport is the JSON form of an answer, without its members.
type communityReport struct {
	Graph     string          `json:"graph"`
	Query     json.RawMessage `json:"query"`
	MinSize   int             `json:"min_size"`
	MaxSize   int             `json:"max_size"`
	Found     bool            `json:"found"`
	MinDegree *int            `json:"min_degree"` // null: there is no community
	Size      int             `json:"size"`
	Proven    bool            `json:"proven"`
	searchReport
}

// searchReport describes a search.
type searchReport struct {
	Start          int         `json:"start_min_degree"` // of the community that the search began with
	Vertices       int64       `json:"reduced_vertices"`
	Edges          int64       `json:"reduced_edges"`
	Branches       int64       `json:"branches"`
	PrepareSeconds show.Number `json:"prepare_seconds"`
	SearchSeconds  show.Number `json:"search_seconds"`
	GPU            string      `json:"gpu,omitempty"` // that has searched, in a batch
}

// jsonAnswer reports an answer. Members are numbers where the ids of the graph are.
func (s *communitySearch) jsonAnswer(query string, c *garaph.Community) communityReport {
	r := communityReport{
		Graph: s.path, Query: s.jsonID(query), MinSize: c.Query.Low, MaxSize: c.Query.High, Found: len(c.Members) > 0,
		Size: len(c.Members), Proven: c.Proven,
		searchReport: searchReport{
			Start: c.Start, Vertices: c.Vertices, Edges: c.Edges, Branches: c.Branches,
			PrepareSeconds: show.Number(c.Prepare.Seconds()), SearchSeconds: show.Number(c.Search.Seconds()), GPU: c.GPU,
		},
	}
	if r.Found {
		r.MinDegree = &c.MinDegree
	}
	return r
}

func (s *communitySearch) jsonID(id string) json.RawMessage {
	if s.graph.Catalogue().IDs.Kind != store.IDString {
		return json.RawMessage(id)
	}
	return jsonText(id)
}
