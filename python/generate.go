// Package python has the tests of the Python package garaph, which is beside it, and
// generates a part of that.
package python

//go:generate go run ./signatures garaph/_programs.py
