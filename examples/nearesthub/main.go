// Command nearesthub is garaph with one more program.
//
//	go run ./examples/nearesthub run nearest-hub --undirected roads.csv --top 10
package main

import "github.com/garaph/garaph/cmd/garaph/cli"

func main() {
	cli.Main(cli.New("nearest-hub", "the hub that is nearest to every vertex", NearestHub{Edges: 6}))
}
