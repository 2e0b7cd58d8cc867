package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/garaph/garaph/cmd/garaph/cli"
)

// sharedFiles are the texts, man pages and completions.
func (r *release) sharedFiles() error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		body, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		r.shared = append(r.shared, file{"usr/share/doc/garaph/" + name, 0o644, body})
	}
	root := cli.Command()
	if err := r.manPages(root); err != nil {
		return fmt.Errorf("man pages: %w", err)
	}
	for path, write := range map[string]func(*bytes.Buffer) error{
		"usr/share/bash-completion/completions/garaph":    func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"usr/share/zsh/vendor-completions/_garaph":        func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"usr/share/fish/vendor_completions.d/garaph.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.shared = append(r.shared, file{path, 0o644, b.Bytes()})
	}
	slices.SortFunc(r.shared, func(a, b file) int { return bytes.Compare([]byte(a.path), []byte(b.path)) })
	return nil
}

// manPages makes one for each command.
func (r *release) manPages(root *cobra.Command) error {
	dir := filepath.Join(r.scratch, "man")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Date: &r.date, Source: "garaph " + r.plain(), Manual: "garaph"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		packed, err := compressed(body)
		if err != nil {
			return err
		}
		r.shared = append(r.shared, file{"usr/share/man/man1/" + e.Name() + ".gz", 0o644, packed})
	}
	say("%d man pages", len(entries))
	return nil
}
