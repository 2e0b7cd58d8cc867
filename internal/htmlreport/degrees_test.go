package htmlreport

import (
	"strings"
	"testing"
)

// TestDegrees: bars are by the logarithm, an empty bin has none, and text of a graph is escaped.
func TestDegrees(t *testing.T) {
	var b strings.Builder
	err := WriteDegrees(&b, Degrees{
		Title: "Degrees of <g>", Facts: []Fact{{"Graph", "<g>"}},
		Distributions: []Distribution{{Direction: "out", Caption: "the most, 3, has vertex <script>", Bins: []Bin{{"0", 0, 0}, {"1", 99, 0.99}, {"2–3", 9, 0.01}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"<h1>Degrees of &lt;g&gt;</h1>", "Edges out of a vertex", `<dt>0</dt><dd><i style="width:0%"></i><span>0 (0.00 %)</span>`,
		`<dt>1</dt><dd><i style="width:100.0%"></i><span>99 (99.00 %)</span>`, `<dt>2–3</dt><dd><i style="width:50.0%"></i>`, "has vertex &lt;script&gt;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error("the page has a script")
	}
}
