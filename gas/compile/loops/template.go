package loops

import (
	_ "embed"
	"text/template"
)

// fileText is a generated file. Each call of a method stands on a line of its
// own, as NAME = p.METHOD(ARGUMENTS), for the sake of [copyLarge].
//
//go:embed file.tmpl
var fileText string

// The text is part of the program: it parses.
var fileTemplate = template.Must(template.New("file").Parse(fileText))
