package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// known are names of algorithms that people look for by names that no program has: what answers the same
// question, "" where nothing does. A word that is one of them was not a slip of the finger, however near it
// is to the name of a program.
var known = map[string]struct{ is, instead string }{
	"scc":                   {"strongly connected components", "`garaph run wcc`, which finds weakly connected ones"},
	"cc":                    {"connected components", "`garaph run wcc`, or `garaph run components`"},
	"connected-components":  {"connected components", "`garaph run wcc`, or `garaph run components`"},
	"connected":             {"connected components", "`garaph run wcc`, or `garaph run components`"},
	"mis":                   {"a maximal independent set", ""},
	"mst":                   {"a minimum spanning tree", ""},
	"bc":                    {"betweenness centrality", ""},
	"betweenness":           {"betweenness centrality", ""},
	"closeness":             {"closeness centrality", "`garaph run sssp`, which gives the distances from one vertex"},
	"dfs":                   {"a depth-first search", "`garaph run bfs`, which searches by hops"},
	"apsp":                  {"shortest paths between all pairs", "`garaph run sssp`, which gives those from one vertex"},
	"dijkstra":              {"shortest paths", "`garaph run sssp`"},
	"bellman-ford":          {"shortest paths", "`garaph run sssp`"},
	"delta-stepping":        {"shortest paths", "`garaph run sssp`"},
	"shortest-path":         {"a shortest path", "`garaph path`, or `garaph run sssp` for the distances from one vertex"},
	"shortest":              {"shortest paths", "`garaph run sssp`, `garaph run bfs` for hops, or `garaph path` for one path"},
	"shortest-paths":        {"shortest paths", "`garaph run sssp`, `garaph run bfs` for hops, or `garaph path` for one path"},
	"path":                  {"a shortest path, and not a program", "`garaph path`"},
	"neighbors":             {"the edges of a vertex, and not a program", "`garaph neighbors`"},
	"neighbours":            {"the edges of a vertex, and not a program", "`garaph neighbors`"},
	"degree":                {"degrees", "`garaph info --degrees`"},
	"degrees":               {"degrees", "`garaph info --degrees`"},
	"widest-path":           {"widest paths", "`garaph run sswp`"},
	"pr":                    {"PageRank", "`garaph run pagerank`"},
	"ppr":                   {"personalised PageRank", "`garaph run pagerank` with --source"},
	"personalized-pagerank": {"personalised PageRank", "`garaph run pagerank` with --source"},
	"hits":                  {"hubs and authorities", "`garaph run pagerank`, which ranks vertices"},
	"eigenvector":           {"eigenvector centrality", "`garaph run katz`, which is near to it"},
	"louvain":               {"communities by modularity", "`garaph run lpa`, which finds communities by their labels"},
	"leiden":                {"communities by modularity", "`garaph run lpa`, which finds communities by their labels"},
	"cdlp":                  {"communities by label propagation", "`garaph run lpa`"},
	"label-propagation":     {"communities by label propagation", "`garaph run lpa`"},
	"tc":                    {"triangles", "`garaph run triangles`"},
	"triangle-count":        {"triangles", "`garaph run triangles`"},
	"lcc":                   {"clustering coefficients", "`garaph run triangles`, which counts the triangles of every vertex"},
	"clustering":            {"clustering coefficients", "`garaph run triangles`, which counts the triangles of every vertex"},
	"k-core":                {"the k-core", "`garaph run kcore`, or `garaph run coreness` for all k"},
	"k-truss":               {"the k-truss", "`garaph run truss`"},
	"ktruss":                {"the k-truss", "`garaph run truss`"},
	"coloring":              {"a colouring", ""},
	"matching":              {"a matching", ""},
	"maxflow":               {"a maximum flow", ""},
	"community":             {"a search, and not a program", "`garaph community`"},
	"diameter":              {"the diameter", "`garaph run bfs`, which gives the hops from one vertex"},
	"bipartite":             {"whether a graph is bipartite", ""},
	"topological-sort":      {"an order of vertices", ""},
}

// elsewhere are names of commands that other tools have, and what they are here.
var elsewhere = map[string]string{
	"convert": "import, or export",
	"load":    "import",
	"create":  "import",
	"build":   "import",
	"dump":    "export",
	"save":    "export",
	"degrees": "info --degrees",
	"degree":  "info --degrees",
	"stats":   "info",
	"show":    "info",
	"list":    "programs, or jobs GRAPH",
	"ls":      "programs, or jobs GRAPH",
	"check":   "verify",
}

// otherCommand is the error of a word in the place of a command that is the name of a program, or of a command elsewhere;
// nil: it is neither.
func otherCommand(cmd *cobra.Command, word string) error {
	if cmd.HasParent() {
		return nil
	}
	name := cmd.Name()
	if run, _, err := cmd.Find([]string{"run", word}); err == nil && run.Name() == word {
		return Usagef("unknown command %q, which is a program: did you mean %s run %s?", word, name, word)
	}
	if is, ok := elsewhere[strings.ToLower(word)]; ok {
		return Usagef("unknown command %q: did you mean %s %s?", word, name, is)
	}
	return nil
}

// swapped is the error of a graph before a program; nil where no word is a program.
func swapped(run *cobra.Command, args []string) error {
	for i, word := range args[1:] {
		if p, _, err := run.Find([]string{word}); err == nil && p != run {
			rest := slices.Concat(args[:i+1], args[i+2:])
			return Usagef("%q is no program: a program comes before its graph, as in %s %s %s", args[0], run.CommandPath(), word, strings.Join(rest, " "))
		}
	}
	return nil
}

// unknownProgram is the error of a word that is known for something else than a program; nil: it is not.
func unknownProgram(cmd *cobra.Command, word string) error {
	what, is := known[strings.ReplaceAll(strings.ToLower(word), "_", "-")]
	switch {
	case !is || childOf(cmd) != "program":
		return nil
	case what.instead == "":
		return Usagef("unknown program %q (%s): garaph has none for that; `garaph programs` lists what it has", word, what.is)
	default:
		return Usagef("unknown program %q (%s): see %s", word, what.is, what.instead)
	}
}

// spelledAlike are those of some names that a word may be a misspelling of. Short ones share most of their letters
// with it: of three letters, two others make another word.
func spelledAlike(word string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return len(word) <= 3 && len(name) <= 3 && differences(word, name) > 1 && !sameLetters(word, name)
	})
}

// differences counts the places in which two words differ.
func differences(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// sameLetters reports whether one word is the other in another order.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}
