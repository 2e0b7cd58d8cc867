package cli

import "testing"

// TestNamed: the command lines in what a command of one's own says are its own,
// whatever stands behind its name.
func TestNamed(t *testing.T) {
	a := &app{name: "widest"}
	for _, c := range Command().Commands() {
		if c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		if got, want := a.named("`garaph "+c.Name()+" x` goes on"), "`widest "+c.Name()+" x` goes on"; got != want {
			t.Errorf("got %s", got)
		}
	}
}

func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"web.graph": "web.graph", "/data/a-b_c": "/data/a-b_c", "a b": "'a b'", "a[b]": "'a[b]'", "it's": `'it'\''s'`, "": "''", "größe": "'größe'",
		"a\nb": `$'a\012b'`, "\x1b[1m'\\": `$'\033[1m\047\134'`, "ö\n": `$'\303\266\012'`,
	} {
		if got := shellWord(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

// TestCommand: what man pages are made of has every command, with its text.
func TestCommand(t *testing.T) {
	root := Command()
	if root.Name() != "garaph" || len(root.Commands()) < 12 {
		t.Fatalf("%s has %d commands", root.Name(), len(root.Commands()))
	}
	for _, c := range root.Commands() {
		if c.Short == "" {
			t.Errorf("%s has no text", c.Name())
		}
	}
}
