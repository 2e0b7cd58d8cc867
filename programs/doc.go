// Package programs has the built-in vertex programs, one file each, written
// exactly as a user would write them: no engine knows any of them.
package programs

//go:generate go run github.com/garaph/garaph/cmd/garaph-compile
