package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/htmlreport"
	"github.com/garaph/garaph/store"
)

// GraphText returns the name of a graph, and how large it is.
func GraphText(name string, c *store.Catalogue) string {
	return fmt.Sprintf("%s: %s, %s",
		name, show.Counted(int64(c.Vertices), "vertex", "vertices"), show.Counted(int64(c.Edges), "edge", "edges"))
}

// PlaceFacts returns when and where a command ran.
func PlaceFacts(version string) []htmlreport.Fact {
	host, _ := os.Hostname()
	return []htmlreport.Fact{
		{"Date", time.Now().Format("2006-01-02 15:04:05 -07:00")},
		{"Version", version},
		{"Host", show.Printable(host) + ", " + show.Counted(int64(runtime.NumCPU()), "processor", "processors")},
	}
}

// ParametersText returns the parameters in the order of their names.
func ParametersText(all map[string]any) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value := all[name]
		switch x := value.(type) {
		case json.RawMessage:
			value = string(x)
		case int64: // of memory and gpu_memory
			value = show.Bytes(x)
		}
		texts = append(texts, fmt.Sprint(name, " ", value))
	}
	return strings.Join(texts, ", ")
}
