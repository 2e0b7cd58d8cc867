package store

import "errors"

// Errors that a caller may test for.
var (
	// ErrNotGraph reports that the path holds no graph of garaph's.
	ErrNotGraph = errors.New("not a garaph graph")
	// ErrExists reports that a graph (or something else) stands at the path already.
	ErrExists = errors.New("exists already")
	// ErrGraphExists is the [ErrExists] of a graph that force would replace.
	ErrGraphExists = error(&textError{"is already a graph", ErrExists})
	// ErrDamaged reports that stored bytes are not what was written.
	ErrDamaged = errors.New("damaged")
	// ErrClosed reports that the graph was closed before.
	ErrClosed = errors.New("it is closed; open it again, or close it after the last use")
	// ErrReplaced reports that another graph was put in the place of this one meanwhile.
	ErrReplaced = errors.New("the graph was replaced")
	// ErrNoVertex reports that the graph has no vertex of this id.
	ErrNoVertex = errors.New("no such vertex")
	// ErrNoSpace reports that the disk has too little free space.
	ErrNoSpace = errors.New("not enough free disk space")
	// ErrBusy reports that another process is writing the graph.
	ErrBusy = errors.New("another import is writing it")
)

// textError is a kind of error in words of its own.
type textError struct {
	text string
	kind error
}

func (e *textError) Error() string { return e.text }
func (e *textError) Unwrap() error { return e.kind }
