// Package testsize tells tests how much of a product of cases they run. With
// GARAPH_LONG=1 they run all of it. Without, each case meets a part of the others:
// every graph some settings, and every setting some graphs. That is a test of
// everything within minutes.
package testsize

import (
	"flag"
	"os"
	"testing"

	_ "pgregory.net/rapid" // registers its flags
)

// Long is whether tests run whole products of cases.
var Long = os.Getenv("GARAPH_LONG") != ""

// checks is the number of random cases a property meets if not Long, in the packages
// whose tests import this one; rapid's own number is 100.
const checks = "10"

// The flag -rapid.checks is parsed later and so goes before this.
func init() {
	if !Long && os.Getenv("RAPID_CHECKS") == "" {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
}

// Some returns all cases if Long, and else every n-th of them. The turn says with
// which to begin: n turns in sequence have every case once.
func Some[T any](all []T, n, turn int) []T {
	if Long {
		return all
	}
	var some []T
	for i := turn % n; i < len(all); i += n {
		some = append(some, all[i])
	}
	return some
}

// OnlyLong skips a test that takes long if not Long, and says why it does.
func OnlyLong(t testing.TB, why string) {
	t.Helper()
	if !Long {
		t.Skipf("%s: GARAPH_LONG=1 runs this test", why)
	}
}
