package garaph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
)

// methodOption names the method among the options of a recorded job, as the
// first versions did.
const methodOption = "engine"

// identityOf says what a job is, so that it is resumed as the same.
func identityOf[V, A any](g *Graph, p gas.Program[V, A], o RunOptions) (checkpoint.Identity, error) {
	t := reflect.TypeOf(p)
	id := checkpoint.Identity{
		Graph: g.Catalogue().Fingerprint, Program: t.String(), Engine: dispatcher.EngineVersion,
		Parameters: parametersOf(p),
		Options:    map[string]string{"mode": string(o.Mode), methodOption: string(o.Method), "iterations": strconv.Itoa(o.Iterations)},
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

// sourceOf returns a hash of the program's text, or else of the executable.
func sourceOf(program any) (string, error) {
	if s, ok := program.(gas.Sourced); ok && !inherits(program) {
		return hashOf([]byte(s.SourceText())), nil
	}
	build, err := buildHash()
	if err != nil {
		return "", fmt.Errorf("read the executable, of which program %T is a part: %w", program, err)
	}
	return "build " + build, nil
}

// buildHash is that of the executable, read once: debug/elf, which finds the build's own
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

// inherits reports whether a program may have its text from another one that
// it embeds, and methods of its own beside it.
func inherits(program any) bool {
	t := reflect.TypeOf(program)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	sourced := reflect.TypeFor[gas.Sourced]()
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
		all["value"] = short(textOf(v, 0))
		return all
	}
	for i := range v.NumField() {
		all[v.Type().Field(i).Name] = short(textOf(v.Field(i), 0))
	}
	return all
}

const maxParameter = 80

func short(text string) string {
	if len(text) > maxParameter {
		return fmt.Sprintf("%.40s… (%s)", text, hashOf([]byte(text)))
	}
	return text
}

// textOf is a value in words that are equal for equal values only.
func textOf(v reflect.Value, depth int) string {
	const deepest = 10 // of what refers to itself
	switch k := v.Kind(); {
	case depth > deepest:
		return "…"
	case k == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case v.CanComplex():
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	case k == reflect.String:
		return strconv.Quote(v.String())
	case k == reflect.Struct:
		var list []string
		for i := range v.NumField() {
			list = append(list, v.Type().Field(i).Name+":"+textOf(v.Field(i), depth+1))
		}
		return "{" + strings.Join(list, " ") + "}"
	case k == reflect.Slice || k == reflect.Array:
		var list []string
		for i := range v.Len() {
			list = append(list, textOf(v.Index(i), depth+1))
		}
		return "[" + strings.Join(list, " ") + "]"
	case k == reflect.Map:
		return mapText(v, depth)
	case !v.IsValid() || v.IsNil():
		return "nil"
	case k == reflect.Interface:
		return v.Elem().Type().String() + " " + textOf(v.Elem(), depth+1)
	case k == reflect.Pointer:
		return textOf(v.Elem(), depth+1)
	default:
		return v.Type().String()
	}
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
