package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// jsonEdges is the jq filter that writes the edges of JSON as lines, weights behind them where there are any. It follows from
// how the JSON begins, which may be cut: objects or lists one after the other, a list of them, or one object with the whole graph.
func jsonEdges(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	first, _ := d.Token()
	if first == json.Delim('{') {
		return edgesOfObject(jsonKeys(d))
	}
	switch second, _ := d.Token(); second {
	case json.Delim('{'):
		return ".[] | " + edgeOfKeys(jsonKeys(d))
	case json.Delim('['):
		return ".[] | " + edgeOfList(d)
	default: // a list in each line, in which the decoder is behind the first id
		_, _ = d.Token()
		return edgeOfThird(d)
	}
}

// edgesOfObject is the filter of an object: a graph of NetworkX or D3, or of Cytoscape, or else one of many edges.
func edgesOfObject(keys []string) string {
	switch has := func(key string) bool { return slices.Contains(keys, key) }; {
	case has("adjacency"): // which has an undirected edge twice
		return `. as $g | range($g.nodes | length) as $i | $g.nodes[$i].id as $u | $g.adjacency[$i][] | ` +
			`select($g.directed or ($u | tostring) <= (.id | tostring)) | [$u, .id, .weight // empty] | @tsv`
	case has("elements"):
		return `.elements.edges[].data | [.source, .target, .weight // empty] | @tsv`
	case has("edges"), has("links"), has("nodes"):
		return `(.edges // .links)[] | [.source, .target, .weight // empty] | @tsv`
	}
	return edgeOfKeys(keys)
}

// edgeOfKeys is the filter of an object that is an edge: of the keys with usual names, or else of the first two.
func edgeOfKeys(keys []string) string {
	if slices.Contains(keys, "id") && slices.Contains(keys, "parent") { // results of a search
		return `select(.parent != null) | [.parent, .id] | @tsv`
	}
	find := func(is func(string) bool, other string) string {
		if i := slices.IndexFunc(keys, is); i >= 0 {
			return keys[i]
		}
		return other
	}
	source := find(func(s string) bool { return isUsual(s, 0) }, "")
	target := find(func(s string) bool { return isUsual(s, 1) }, "")
	if source == "" || target == "" {
		source, target = "source", "target"
		if len(keys) > 1 {
			source, target = keys[0], keys[1]
		}
	}
	weight := find(func(s string) bool { return mayBeWeight(s) && s != source && s != target }, "")
	if weight == "" {
		return fmt.Sprintf(`[%s, %s] | @tsv`, jqKey(source), jqKey(target))
	}
	return fmt.Sprintf(`[%s, %s, %s // empty] | @tsv`, jqKey(source), jqKey(target), jqKey(weight))
}

// jqKey is the value of a key in jq, within the quotes of a shell.
func jqKey(key string) string {
	b, _ := json.Marshal(key) // a string can be
	return ".[" + strings.ReplaceAll(string(b), "'", `\u0027`) + "]"
}

// edgeOfList is the filter of a list that is an edge, whose beginning was read.
func edgeOfList(d *json.Decoder) string {
	_, _ = d.Token()
	_, _ = d.Token()
	return edgeOfThird(d)
}

// edgeOfThird is edgeOfList, behind both ids.
func edgeOfThird(d *json.Decoder) string {
	if third, _ := d.Token(); third == json.Delim('{') { // as NetworkX has them
		return `[.[0], .[1], .[2].weight // empty] | @tsv`
	}
	return `.[:3] | @tsv`
}

// jsonKeys are the keys of the object that was begun, as far as the text goes.
func jsonKeys(d *json.Decoder) (keys []string) {
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return keys
		}
		keys = append(keys, name)
		if d.Decode(new(json.RawMessage)) != nil {
			return keys
		}
	}
	return keys
}
