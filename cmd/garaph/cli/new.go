package cli

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed template
var templates embed.FS

func newCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Begin a program of your own",
		Long: `Begin a program of your own: a Go module in a folder of its own, with a vertex
program to be changed into yours, its test, and a main function that has the
whole command line of garaph beside it. NAME is a word or a module path, whose
last word is the name of the program.

The module uses the clone of garaph that --garaph names, or one that it finds:
around the folder, or called garaph and beside it. Without one it asks for the
version of this command, if that is a released one.`,
		Example: `  garaph new widest
  garaph new widest --garaph ~/src/garaph
  garaph new example.com/graphs/widest-path`,
		Args: exactly("the name of a program", 1),
	}
	dir := cmd.Flags().String("garaph", "", "`DIR` of a clone of garaph that the module is to use")
	cmd.RunE = a.job(func(_ *cobra.Command, args []string) error { return a.begin(args[0], *dir) })
	return cmd
}

// begin writes the module, which uses the checkout in dir; "" looks for one.
// After an error nothing is left of it.
func (a *app) begin(name, dir string) error {
	m := module{Path: name, Name: path.Base(name), Version: released()}
	if err := m.check(); err != nil {
		return err
	}
	m.Type = typeName(m.Name)
	if err := m.findCheckout(dir); err != nil {
		return err
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	if err := os.Mkdir(m.Name, 0o777); err != nil {
		return fmt.Errorf("make the folder of the module: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(m.Name, name), text, 0o666); err != nil {
			return errors.Join(fmt.Errorf("write the module: %w", err), os.RemoveAll(m.Name))
		}
	}
	tidy := ""
	if m.Checkout == "" {
		tidy = "\n  go mod tidy            # asks for the modules that it needs"
	}
	a.console.Summary(
		fmt.Sprintf(`wrote %s: the program is in %[1]s.go, its test in %[1]s_test.go. It uses garaph %[2]s. Next:

  cd %[1]s%[3]s
  go test .              # the first time compiles garaph, for a minute or two
  $EDITOR %[1]s.go %[1]s_test.go
  go generate            # loops of its own: several times as fast
  go run . run %[1]s GRAPH`, m.Name, cmp.Or(m.Checkout, m.Version), tidy),
	)
	return nil
}

// module describes the module to be written.
type module struct {
	Path, Name, Type string
	Version          string // of garaph, "" without a released one
	Checkout         string // path of a clone of garaph, "" without
	Requires         string // requirements of the clone
	sum              []byte // go.sum of the clone
}

var (
	elements = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9][A-Za-z0-9._~-]*)*$`)
	lowWords = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
)

// check refuses names that are none of a module or of a program.
func (m *module) check() error {
	switch {
	case !elements.MatchString(m.Path) || strings.Contains(m.Path, ".."):
		return Usagef("module path %q: expected a path such as widest or example.com/widest", m.Path)
	case !lowWords.MatchString(m.Name):
		return Usagef("program name %q: expected lower-case letters, digits and hyphens, as in widest-path", m.Name)
	case m.Name == "main" || m.Name == "go" ||
		slices.ContainsFunc(builtinPrograms(), func(p Program) bool { return p.Name == m.Name }):
		return Usagef("%q is taken: give the program another name", m.Name)
	}
	return nil
}

// typeName turns widest-path into WidestPath.
func typeName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// findCheckout uses the clone of garaph in dir. If that is "", it looks in the working
// folder, in those above it and beside each of them.
func (m *module) findCheckout(dir string) error {
	if dir != "" {
		if !m.useCheckout(absolute(dir)) {
			return Usagef("--garaph %s: not a clone of garaph", dir)
		}
		return nil
	}
	for dir = absolute("."); !m.useCheckout(dir) && !m.useCheckout(filepath.Join(dir, "garaph")); dir = filepath.Dir(dir) {
		if dir != filepath.Dir(dir) {
			continue
		}
		if m.Version == "" {
			return Usagef("this build of garaph has no released version: give --garaph DIR, a clone of it")
		}
		return nil
	}
	return nil
}

func (m *module) useCheckout(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !bytes.HasPrefix(text, []byte("module "+modulePath+"\n")) {
		return false
	}
	m.Checkout = dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		m.Checkout = real
	}
	m.sum, _ = os.ReadFile(filepath.Join(dir, "go.sum")) // without it, go mod tidy is needed
	var requires strings.Builder
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "\t") && len(f) >= 2 {
			fmt.Fprintf(&requires, "\t%s %s // indirect\n", f[0], f[1])
		}
	}
	m.Requires = requires.String()
	return true
}

// goMod returns the text of go.mod.
func (m *module) goMod() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "module %s\n\ngo 1.26.0\n\ntool %s\n", m.Path, compilerPackage)
	switch {
	case m.Checkout != "":
		fmt.Fprintf(&b, "\nrequire %s v0.0.0\n\nrequire (\n%s)\n\nreplace %[1]s => %[3]s\n", modulePath,
			m.Requires, m.Checkout)
	case m.Version != "":
		fmt.Fprintf(&b, "\nrequire %s %s\n", modulePath, m.Version)
	}
	return b.Bytes()
}

// files returns the texts of the module's files.
func (m *module) files() (map[string][]byte, error) {
	fill := strings.NewReplacer("{{.Name}}", m.Name, "{{.Type}}", m.Type)
	names := map[string]string{"main.go": "main.go.tmpl", m.Name + ".go": "program.go.tmpl",
		m.Name + "_test.go": "program_test.go.tmpl"}
	files := map[string][]byte{}
	for name, from := range names {
		text, err := templates.ReadFile("template/" + from)
		if err != nil {
			return nil, err
		}
		files[name] = []byte(fill.Replace(string(text)))
	}
	files["go.mod"] = m.goMod()
	if len(m.sum) > 0 {
		files["go.sum"] = m.sum
	}
	return files, nil
}
