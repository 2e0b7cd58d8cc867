package all_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/garaph/garaph/ingest/format"
)

// TestDocs checks that docs/formats.md has the table of formats.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, f := range format.All() {
		use := "read and written"
		switch {
		case f.Writer == nil:
			use = "read"
		case f.Plan == nil:
			use = "written; read as " + string(f.Writer.Import)
		}
		fmt.Fprintf(&table, "| `%s` | %s | `%s` | %s |\n", f.Name, f.Doc, strings.Join(f.Extensions, "`, `"), use)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/formats.md lacks this table:\n%s", table.String())
	}
}
