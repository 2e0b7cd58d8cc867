// Command garaph processes graphs that are larger than memory on one machine.
package main

import "github.com/garaph/garaph/cmd/garaph/cli"

func main() { cli.Main() }
