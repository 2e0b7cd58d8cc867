package main

import (
	"io"
	"log"
	"os"
	"strings"
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

// TestLines: the program has 25 lines of code, no more.
func TestLines(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	if n > 25 {
		t.Errorf("%d lines of code", n)
	}
}
