package main

import (
	"io"
	"log"
	"os"
	"testing"
)

// TestMain silences the progress.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

func Example() {
	main()
	// Output:
	//  1 0.2943 home
	//  2 0.2561 docs
	//  3 0.1482 blog
	//  4 0.1214 api
	//  5 0.0362 faq
	//  6 0.0322 jobs
	//  7 0.0279 help
	//  8 0.0231 cart
	//  9 0.0231 team
	// 10 0.0125 about
}
