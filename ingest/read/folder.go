package read

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A folder is an input that stands for the files in it, as Spark, Hive and Dask
// leave them: part-00000.csv.gz and so on, also in folders below (year=2024),
// beside files that are no data, whose names begin with a dot or an underline.

// graphMarker is the file by which a folder is known to be a graph of garaph's.
const graphMarker = "GARAPH"

// expandInputs puts the files of folders, in the order of their names, in the
// places of these. What LDBC says of a graph in x.properties is no edge.
func expandInputs(inputs []string, warn func(string)) ([]string, error) {
	var files []string
	for _, name := range inputs {
		info, err := os.Stat(name)
		if name == StdinName || err != nil || !info.IsDir() {
			files = append(files, name)
			continue
		}
		found, err := filesBelow(name)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return withoutProperties(files, warn), nil
}

// filesBelow returns the data files of a folder and of those below it.
func filesBelow(folder string) ([]string, error) {
	if info, err := os.Stat(filepath.Join(folder, graphMarker)); err == nil && info.Mode().IsRegular() {
		return nil, &InputError{
			File: folder, Problem: "is a graph, not a folder of edge files", Advice: "garaph run takes it as it is",
		}
	}
	var files []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == folder:
			return nil
		case strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !d.IsDir():
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, &InputError{File: folder, Problem: "cannot be listed: " + err.Error(), Err: err}
	}
	if len(files) == 0 {
		return nil, &InputError{
			File:    folder,
			Problem: "is a folder without a file of edges; those whose names begin with a dot or an underline do not count",
		}
	}
	return files, nil
}

// withoutProperties leaves out the .properties that stand beside a .v or .e.
func withoutProperties(files []string, warn func(string)) []string {
	return slices.DeleteFunc(files, func(name string) bool {
		described := Extension(name) == ".properties" && slices.ContainsFunc(files, func(other string) bool {
			ext := Extension(other)
			return (ext == ".v" || ext == ".e") && Stem(other) == Stem(name)
		})
		if described {
			warn(name + ": describes the graph beside it, which may be undirected, and has no edges; it was passed over")
		}
		return described
	})
}

// openInputs looks at inputs, and at the files of those that are folders,
// without reading them.
func openInputs(inputs []string, o Options) ([]*Input, error) {
	if len(inputs) == 0 {
		return nil, &InputError{File: "no input", Problem: "name at least one file, or - for standard input"}
	}
	files, err := expandInputs(inputs, o.Warn)
	if err != nil {
		return nil, err
	}
	ins := make([]*Input, 0, len(files))
	for _, name := range files {
		if name == StdinName && len(files) > 1 {
			return nil, &InputError{File: stdinText, Problem: "cannot be read together with files", Advice: "name it alone"}
		}
		in, err := Open(name, o.Stdin)
		if err != nil {
			return nil, err
		}
		ins = append(ins, in)
	}
	return ins, nil
}

// Extension returns the ending of a name below .gz, .zst and .bz2, in lower case.
func Extension(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	switch ext {
	case ".gz", ".gzip", ".zst", ".zstd", ".bz2":
		return strings.ToLower(filepath.Ext(strings.TrimSuffix(name, filepath.Ext(name))))
	}
	return ext
}

// Stem returns a name without .v or .e and without an ending of compression.
func Stem(name string) string {
	ext := Extension(name)
	for strings.ToLower(filepath.Ext(name)) != ext {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}
