// Package identity describes a job such that it is resumed as the same one.
package identity

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
)

// MethodOption is the name of the method among the options of a recorded job.
const MethodOption = "engine"

// Of returns the identity of a job: a program or an algorithm with its parameters, and the options of the run, over
// the graph with a fingerprint.
func Of(fingerprint string, p any, options map[string]string) (checkpoint.Identity, error) {
	t := reflect.TypeOf(p)
	id := checkpoint.Identity{
		Graph: fingerprint, Program: t.String(), Engine: dispatcher.EngineVersion,
		Parameters: parametersOf(p), Options: options,
	}
	pointer := ""
	if t.Kind() == reflect.Pointer {
		pointer, t = "*", t.Elem()
	}
	if t.PkgPath() != "" {
		id.Program = pointer + t.PkgPath() + "." + t.Name()
	}
	var err error
	id.Source, err = sourceOf(p)
	return id, err
}

// sourceOf returns a hash of the program's text or the version of the algorithm, or else a hash of the executable.
func sourceOf(program any) (string, error) {
	if s, ok := program.(gas.Sourced); ok && !inherits[gas.Sourced](program) {
		return hashOf([]byte(s.SourceText())), nil
	}
	if a, ok := program.(algorithms.Resumable); ok && !inherits[algorithms.Resumable](program) {
		if _, version := a.Steps(); version != "" {
			return "version " + version, nil
		}
	}
	build, err := buildHash()
	if err != nil {
		return "", fmt.Errorf("read the executable, of which program %T is a part: %w", program, err)
	}
	return "build " + build, nil
}

// buildHash returns the hash of the executable, computed once: debug/elf, which finds the build's own
// identity in it, would make the command larger.
var buildHash = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
})

// inherits reports whether a program may have its text or version, as an S, from another one that
// it embeds, and methods of its own beside it.
func inherits[S any](program any) bool {
	t := reflect.TypeOf(program)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	sourced := reflect.TypeFor[S]()
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if f := t.Field(i); f.Anonymous && (f.Type.Implements(sourced) || reflect.PointerTo(f.Type).Implements(sourced)) {
			return true
		}
	}
	return false
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// parametersOf lists the fields of a program, by name. Text of more than a line
// stands as its hash. What a function does is unknown.
func parametersOf(program any) map[string]string {
	all := map[string]string{}
	v := reflect.Indirect(reflect.ValueOf(program))
	if v.Kind() != reflect.Struct {
		all["value"] = shortText(v)
		return all
	}
	for i := range v.NumField() {
		all[v.Type().Field(i).Name] = shortText(v.Field(i))
	}
	return all
}

const maxParameter = 80

// shortText returns the text of a value. Of a long one it is the beginning and a hash, which needs
// no room for all of it.
func shortText(v reflect.Value) string {
	t := beginning{Hash: sha256.New()}
	w := bufio.NewWriter(&t)
	writeText(w, v, 0)
	_ = w.Flush() // to t, which has no errors
	if len(t.text) > maxParameter {
		return fmt.Sprintf("%.40s… (%s)", t.text, hex.EncodeToString(t.Sum(nil)[:16]))
	}
	return string(t.text)
}

// beginning hashes text and keeps its beginning.
type beginning struct {
	hash.Hash
	text []byte
}

func (t *beginning) Write(p []byte) (int, error) {
	const most = 4 * maxParameter // bytes of as many runes
	t.text = append(t.text, p[:min(len(p), most-len(t.text))]...)
	return t.Hash.Write(p)
}

// textOf returns a value in words that are equal for equal values only.
func textOf(v reflect.Value, depth int) string {
	var b strings.Builder
	w := bufio.NewWriterSize(&b, 64)
	writeText(w, v, depth)
	_ = w.Flush() // to memory
	return b.String()
}

// writeText writes what textOf is. The writer has no errors.
func writeText(w *bufio.Writer, v reflect.Value, depth int) {
	const deepest = 10 // of what refers to itself
	text := w.AvailableBuffer()
	switch k := v.Kind(); {
	case depth > deepest:
		text = append(text, "…"...)
	case k == reflect.Bool:
		text = strconv.AppendBool(text, v.Bool())
	case v.CanInt():
		text = strconv.AppendInt(text, v.Int(), 10)
	case v.CanUint():
		text = strconv.AppendUint(text, v.Uint(), 10)
	case v.CanFloat():
		text = strconv.AppendFloat(text, v.Float(), 'g', -1, 64)
	case v.CanComplex():
		text = append(text, strconv.FormatComplex(v.Complex(), 'g', -1, 128)...)
	case k == reflect.String:
		text = strconv.AppendQuote(text, v.String())
	case k == reflect.Struct:
		writeList(w, "{", v.NumField(), "}", func(i int) {
			_, _ = w.WriteString(v.Type().Field(i).Name + ":")
			writeText(w, v.Field(i), depth+1)
		})
	case k == reflect.Slice || k == reflect.Array:
		writeList(w, "[", v.Len(), "]", func(i int) { writeText(w, v.Index(i), depth+1) })
	case k == reflect.Map:
		text = append(text, mapText(v, depth)...)
	case !v.IsValid() || v.IsNil():
		text = append(text, "nil"...)
	case k == reflect.Interface:
		text = append(text, v.Elem().Type().String()+" "+textOf(v.Elem(), depth+1)...)
	case k == reflect.Pointer:
		writeText(w, v.Elem(), depth+1)
	default:
		text = append(text, v.Type().String()...)
	}
	_, _ = w.Write(text) // nothing, where others have written
}

// writeList writes items with spaces between them.
func writeList(w *bufio.Writer, begin string, n int, end string, item func(i int)) {
	for i := range n {
		_, _ = w.WriteString(begin)
		item(i)
		begin = " "
	}
	if n == 0 {
		end = begin + end
	}
	_, _ = w.WriteString(end)
}

// mapText lists a map in the order of its keys' text.
func mapText(v reflect.Value, depth int) string {
	var list []string
	for _, key := range v.MapKeys() {
		list = append(list, textOf(key, depth+1)+":"+textOf(v.MapIndex(key), depth+1))
	}
	slices.Sort(list)
	return "map[" + strings.Join(list, " ") + "]"
}
