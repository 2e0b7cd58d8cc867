//go:build race

package dispatcher_test

import "github.com/garaph/garaph/store"

// The race detector makes emulated kernels ten times slower: graphs of one layout
// show what it can find, and without it tests run over both.
func init() { layouts = []store.Layout{store.Packed} }
