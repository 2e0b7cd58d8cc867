package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// List is the part of a JSON object that is written item by item.
type List struct {
	Key  string
	Each func(item func(json any) error) error
}

// WriteObject writes a report as a JSON object, with a list as its last part, if that is not nil.
func WriteObject(w io.Writer, report any, last *List) error {
	object, err := json.Marshal(report)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	if last != nil {
		_, _ = fmt.Fprintf(buffered, "%s,%q:[", object[:len(object)-1], last.Key) // errors are kept until Flush
		comma := ""
		err = last.Each(func(item any) error {
			b, err := json.Marshal(item)
			if err == nil {
				_, err = fmt.Fprintf(buffered, "%s%s", comma, b)
			}
			comma = ","
			return err
		})
		object = []byte("]}")
	}
	if err != nil {
		return err
	}
	_, _ = buffered.Write(append(object, '\n'))
	return buffered.Flush()
}
