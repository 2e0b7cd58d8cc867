// Topten prints the ten pages of a small web that PageRank puts first.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/programs"
)

func main() {
	links := [][2]string{{"home", "docs"}, {"docs", "home"}, {"docs", "api"}, {"api", "docs"}, {"faq", "docs"},
		{"faq", "help"}, {"help", "faq"}, {"blog", "home"}, {"home", "blog"}, {"news", "blog"}, {"shop", "cart"},
		{"cart", "home"}, {"jobs", "home"}, {"team", "jobs"}, {"about", "team"}}
	g := must(garaph.FromSlice(context.Background(), links, nil, garaph.GraphOptions{})) // a temporary graph
	defer g.Close()                                                                      // removes it
	progress := func(it garaph.Iteration) { log.Printf("iteration %d: %d pages change", it.Iteration+1, it.Active) }
	r := must(garaph.Run(context.Background(), g, programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-9},
		garaph.RunOptions{Progress: progress}))
	defer r.Close()
	for i, page := range must(must(garaph.ValuesOf[string, float64](r, "")).Top(10)) {
		fmt.Printf("%2d %.4f %s\n", i+1, page.Value, page.ID)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}
