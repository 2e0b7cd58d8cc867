package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// manyFlag is a flag that may be given again, each time with one more value, as it is: it may have commas.
type manyFlag struct{ values *[]string }

func newManyFlag() manyFlag { return manyFlag{new([]string)} }

func (f manyFlag) Set(s string) error       { *f.values = append(*f.values, s); return nil }
func (f manyFlag) Append(s string) error    { return f.Set(s) }
func (f manyFlag) Replace(s []string) error { *f.values = s; return nil }
func (f manyFlag) GetSlice() []string       { return *f.values }
func (f manyFlag) String() string           { return strings.Join(*f.values, ", ") }
func (f manyFlag) Type() string             { return "string" }

// given is what a record has: a single value as it is, unless that would be read as a list.
func (f manyFlag) given() string {
	if list := *f.values; len(list) == 1 && !strings.HasPrefix(list[0], "[") {
		return list[0]
	}
	b, _ := json.Marshal(*f.values) // strings can be
	return string(b)
}

// onceFlag is a flag with one value: a second one is an error, and does not take the place of the first.
type onceFlag struct {
	value *string
	set   *bool
}

func newOnceFlag() onceFlag { return onceFlag{new(string), new(bool)} }

func (f onceFlag) String() string { return *f.value }
func (f onceFlag) Type() string   { return "string" }

func (f onceFlag) Set(s string) error {
	if *f.set {
		return errTwice(*f.value)
	}
	*f.value, *f.set = s, true
	return nil
}

// errTwice refuses another value of a flag that has one.
func errTwice(before string) error {
	return fmt.Errorf("it was given before, as %q, and takes one value", before)
}

// pathFlag is a file to be read, which is recorded with its whole path.
type pathFlag struct{ onceFlag }

func newPathFlag() pathFlag { return pathFlag{newOnceFlag()} }

func (f pathFlag) given() string { return absolute(*f.value) }

func (f pathFlag) Set(s string) error {
	if s == "" || s == "-" {
		return errors.New("expected the name of a file; standard input has the name /dev/stdin")
	}
	return f.onceFlag.Set(s)
}
