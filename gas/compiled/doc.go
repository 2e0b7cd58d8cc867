// Package compiled is the interface between `garaph compile` and the engines: the
// methods of a program as loops over plain arrays, [Loops], and as fragments of
// PTX, [Fragments]. Generated files provide them, and the engines run them. The
// author of a program needs package gas only.
package compiled
