// Package graphalytics reads the data sets of LDBC Graphalytics, and validates results by its rules (Iosup et
// al., The LDBC Graphalytics Benchmark, 2020).
package graphalytics

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Dataset is a graph with the parameters of the algorithms, from its file NAME.properties.
type Dataset struct {
	Name       string
	Folder     string // of its files
	Directed   bool
	Weighted   bool
	Algorithms []string // of Names, in their order

	properties map[string]string
}

// Names are the six algorithms.
var Names = []string{"bfs", "pr", "wcc", "cdlp", "lcc", "sssp"}

// Read reads a file of properties. Its name may lack the extension.
func Read(path string) (*Dataset, error) {
	path = strings.TrimSuffix(path, ".properties")
	d := &Dataset{Name: filepath.Base(path), Folder: filepath.Dir(path), properties: map[string]string{}}
	file, err := os.Open(path + ".properties")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if key, own := strings.CutPrefix(strings.TrimSpace(key), "graph."+d.Name+"."); ok && own {
			d.properties[key] = strings.TrimSpace(value)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	d.Directed, d.Weighted = d.properties["directed"] == "true", d.properties["edge-properties.names"] != ""
	for _, name := range Names {
		if d.lists(name) {
			d.Algorithms = append(d.Algorithms, name)
		}
	}
	if d.properties["edge-file"] == "" || len(d.Algorithms) == 0 {
		return nil, fmt.Errorf("%s.properties: expected edge-file and algorithms of graph.%s", path, d.Name)
	}
	return d, nil
}

func (d *Dataset) lists(name string) bool {
	for listed := range strings.SplitSeq(d.properties["algorithms"], ",") {
		if strings.TrimSpace(listed) == name {
			return true
		}
	}
	return false
}

// Files returns the files of vertices and of edges.
func (d *Dataset) Files() (list []string) {
	for _, key := range []string{"vertex-file", "edge-file"} {
		if name := d.properties[key]; name != "" {
			list = append(list, filepath.Join(d.Folder, name))
		}
	}
	return list
}

// Text returns a parameter of an algorithm.
func (d *Dataset) Text(name string) (string, error) {
	if text, ok := d.properties[name]; ok {
		return text, nil
	}
	return "", fmt.Errorf("dataset %s has no property %s", d.Name, name)
}

// Number returns a parameter of an algorithm that is a number.
func (d *Dataset) Number(name string) (float64, error) {
	text, err := d.Text(name)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("dataset %s: property %s is %q: expected a number", d.Name, name, text)
	}
	return x, nil
}

// Reference returns the path of the expected output of an algorithm.
func (d *Dataset) Reference(algorithm string) string {
	return filepath.Join(d.Folder, d.Name+"-"+strings.ToUpper(algorithm))
}
