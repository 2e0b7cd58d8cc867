package cli

import (
	"github.com/spf13/pflag"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/programs"
)

// builtin are the programs of package programs, bound to their flags as a
// user's own would be.
var builtin = []Program{
	{
		Name: "pagerank", Value: builtins.Single.PageRank(0.85, 0, nil), Short: "rank of every vertex, dangling mass spread as teleports are, weights ignored without --weighted",
		Example: `  garaph run pagerank web.graph --top 20
  garaph run pagerank edges.txt --iterations 10 --output ranks.parquet
  garaph run pagerank web.graph --source 42          # personalised
  garaph run pagerank roads.graph --weighted --sources ids.txt`,
		Iterations: 200, Setup: setupPageRank,
	},
	{
		Name: "bfs", Value: programs.BFS{}, Short: "number of hops from a source along edge direction",
		Long: `Of several sources, the nearest counts. Vertices that no path leads to have no value.
With --parents, a second column has the vertex before on a shortest path.`,
		Example: `  garaph run bfs web.graph --source 42 --output hops.tsv
  go mod graph | garaph run bfs - --source example.com/app`,
		Ranking: Nearest, Setup: setupBFS,
	},
	{
		Name: "sssp", Value: programs.SSSP[float32]{}, Short: "least total weight of a path from a source along edge direction",
		Long: `Without weights, every edge counts 1. Of several sources, the nearest counts.
Vertices that no path leads to have no value. With --parents, a second column has
the vertex before on a shortest path.
Sums of weights are exact in 24 bits, or else computed in 53, in which sums of
whole numbers are exact up to 2^53. With --precision 32 they are rounded to 24,
and the job fails if one is 3.4028235e+38 or more.`,
		Example: `  garaph run sssp roads.gr --source 1 --output - | sort -k2g | head`,
		Ranking: Nearest, Setup: setupSSSP,
	},
	{
		Name: "wcc", Value: programs.WCC{}, Short: "weakly connected component of every vertex, named by its least vertex",
		Long: `On the CPU the algorithm of garaph run components does the work, with the same results in
one pass over the edges, and no job is recorded. A flag about iterations, checkpoints, the
trace or a GPU has the vertex program run: --iterations 0 is enough.`,
		Example: `  garaph run wcc web.graph --top 5
  garaph run wcc web.graph --output components.csv`,
		Ranking: Groups, Instead: &components,
		Setup: func(*pflag.FlagSet) Runner {
			return bindBuiltin(func(Env) (any, error) { return programs.WCC{}, nil })
		},
	},
	{
		Name: "sswp", Value: programs.SSWP[float32]{}, Short: "width of the widest path from a source along edge direction",
		Long: `The width of a path is the least weight on it; without weights, each is 1. The
source has inf, vertices that no path leads to have no value. Of several sources,
the one with the widest path counts.`,
		Example: `  garaph run sswp roads.gr --source 1 --top 20`,
		Setup:   setupSSWP,
	},
	{
		Name: "kcore", Value: programs.KCore{}, Short: "1 for every vertex of the k-core, 0 for the others",
		Long: `The k-core is the largest set of vertices each of which has --k edges or more
within the set, whatever their directions; parallel edges count each, and so do the
two of vertices that lead to each other, where coreness counts one. A self-loop
counts twice in a directed graph, and once in an undirected one.
On the CPU an algorithm does the work, with the same results in one pass over the edges, and no
job is recorded. A flag about iterations, checkpoints, the trace or a GPU has the vertex
program run: --iterations 0 is enough.`,
		Example: `  garaph run kcore web.graph --k 10 --output core.tsv`,
		Ranking: Members, Instead: &peeling, Setup: setupKCore,
	},
	{
		Name: "lpa", Value: programs.LPA{}, Short: "community of every vertex by label propagation, named by one of its vertices",
		Long: `Directions and weights of edges don't matter. Labels are drawn at random: the
same --seed and --iterations give the same communities in sync mode. A vertex stops when
it has drawn 32 neighbours since a label around it last changed, and none had a label that
more neighbours have than its own. The job has converged when all have stopped.`,
		Example: `  garaph run lpa web.graph --top 5`,
		Ranking: Groups, Iterations: 1000, Setup: setupLPA,
	},
	{
		Name: "katz", Value: programs.Katz[float32]{}, Short: "Katz centrality of every vertex, not scaled",
		Long: `The value of a vertex is beta + alpha · sum of the values of the vertices that
lead to it; weights are ignored. Values are finite where --alpha is below
1 / the largest eigenvalue of the graph, and always where it is below 1 / the
largest in-degree: the default, 1 / (the largest in-degree + 1), is NetworKit's.`,
		Example:    `  garaph run katz web.graph --alpha 0.001 --top 20`,
		Overflow:   "without --alpha they are at most --beta · (the largest in-degree + 1)",
		Iterations: 1000, Setup: setupKatz,
	},
	{
		Name: "heat", Value: programs.Heat{}, Short: "temperature of every vertex after heat has spread from a source",
		Long: `The source begins at temperature 1, the others at 0. Weights are conductances,
without weights each is 1: in a short time t, a vertex comes closer to a neighbour
by weight · t · the difference of their temperatures. --iterations N is a time of
N · --step. The sum of all heat stays the same only as far as a step is short: far
below 1 / the sum of the weights at a vertex. Long steps stay stable, and lose or
make heat at hubs. Nor is it conserved at vertices without in-edges, which keep
their temperature while others take it from them.`,
		Example:    `  garaph run heat --undirected edges.txt --source 42 --step 0.1 --iterations 50`,
		Iterations: 100, Timed: true, Setup: setupHeat,
	},
	{
		Name: "circuit", Value: programs.Circuit{}, Short: "voltage of every node of a network of resistors; weights are conductances (1/ohm)",
		Long: `Weights are conductances, in 1/ohm, and not resistances; without weights each is 1.
--tolerance bounds the change of a voltage in an iteration and not its error,
which may be many times larger where the solution is approached slowly.`,
		Example:    `  garaph run circuit --undirected resistors.csv --source 1 --ground 9 --volts 12`,
		Iterations: 1000, Setup: setupCircuit,
	},
	{
		Name: "neural", Value: programs.Neural{}, Short: "activity of every neuron of a network, tanh of the weighted sum",
		Long: `A neuron's activity is tanh(bias + gain · sum of weight · activity of what leads
to it); without weights, each is 1. With a --gain well above 1 / the sum of the
weights that lead to a neuron, activities are near 1 and differ little:
begin with a small one.`,
		Example:    `  garaph run neural synapses.csv --gain 0.2 --bias 0.1`,
		Iterations: 1000, Setup: setupNeural,
	},
	described(NewAlgorithm("triangles", "number of triangles at every vertex: pairs of its neighbours that are neighbours", algorithms.Triangles{}), Largest, `Directions of edges, parallel edges and self-loops don't matter. Every triangle
counts at its three vertices; the summary has the number of all. Beside 20 bytes
for each vertex, 4 for each pair of neighbours are in memory.`, `  garaph run triangles web.graph --top 10
  garaph run triangles web.graph --output triangles.parquet`),
	described(NewAlgorithm("truss", "largest k such that the vertex lies in a k-truss, whose edges are in k-2 triangles each", algorithms.Truss{}), Largest, `A k-truss is a set of edges each of which is in k-2 triangles of the set, or more: a
dense part of the graph, inside its (k-1)-core. Directions of edges, parallel edges and
self-loops don't matter. A vertex with a neighbour has 2 at least, one without has 0; the
summary has the largest k. Beside 32 bytes for each vertex, 20 for each pair of neighbours
are in memory.`, `  garaph run truss web.graph --top 10
  garaph run truss web.graph --output truss.parquet`),
	components,
	described(NewAlgorithm("coreness", "core number of every vertex: the largest k whose k-core it is in", algorithms.Coreness{}), Largest, `Directions of edges, parallel edges and self-loops don't matter. The summary has
the largest core number. Where --memory has no room for the rows of the whole graph,
passes over the edges are taken until nothing changes, with 12 bytes for each vertex.`, `  garaph run coreness web.graph --top 10
  garaph run coreness web.graph --output cores.parquet`),
	{
		Name: "degrees", Value: algorithms.Degrees{}, Short: "number of edges of every vertex, as they are stored", Algorithm: true,
		Long: `Parallel edges and self-loops count. In an undirected graph, --along makes no
difference. Edges are not read: their numbers lie beside them.`,
		Example: `  garaph run degrees web.graph --along in --top 10
  garaph run degrees web.graph --report degrees.html`,
		Setup: setupDegrees,
	},
}

// described adds to an algorithm its ranking and the texts of its help.
func described(p Program, ranking Ranking, long, example string) Program {
	p.Ranking, p.Long, p.Example = ranking, long, example
	return p
}

// components has the results of wcc, by an algorithm that is not a vertex program.
var components = described(NewAlgorithm("components", "weakly connected components, as wcc, in one pass over the edges", algorithms.Components{}), Groups, `A component has the id of one of its vertices, the same as with wcc. Each edge is
read once and links its two ends; the summary has the number of components. Beside
4 bytes for each vertex, --memory has to hold little. A GPU has all edges in its
memory, 4 bytes each, and 12 for each vertex. Use wcc for checkpoints.`, `  garaph run components web.graph --output components.parquet
  garaph run components web.graph --memory 1GiB
  garaph run components web.graph --device gpu --json`)

func setupPageRank(fs *pflag.FlagSet) Runner {
	f := pageRankFlags{
		damping:   flags.Number(fs, "damping", 0.85, 1, "probability of following an edge, at least 0 and below 1; otherwise a teleport"),
		tolerance: flags.Number(fs, "tolerance", 1e-6, 0, "change of all ranks together (L1, they sum up to 1) in an iteration below which the job ends; 0: none, as with --iterations N alone"),
	}
	flags.Sources(fs, "where teleports end: personalised PageRank")
	f.weights = fs.Bool("weighted", false, "an edge is followed in proportion to its weight, not as often as any other")
	f.precision = precisionFlag(fs)
	return f.run
}

func parentsFlag(fs *pflag.FlagSet) {
	fs.Bool("parents", false, "find the vertex before on a shortest path, too: the smallest of the nearer ones")
}

func setupBFS(fs *pflag.FlagSet) Runner {
	flags.RequiredSources(fs, "to begin at")
	parentsFlag(fs)
	return bindBuiltin(func(e Env) (any, error) {
		first, more, err := e.firstAndMore()
		return programs.BFS{Source: first, More: more}, err
	})
}

func setupSSSP(fs *pflag.FlagSet) Runner {
	flags.RequiredSources(fs, "to begin at")
	parentsFlag(fs)
	precision := precisionFlag(fs)
	return bindBuiltin(func(e Env) (any, error) {
		first, more, err := e.firstAndMore()
		if err == nil && !e.Graph.Catalogue().Weighted {
			e.Log.Info("the graph has no weights: every edge counts 1")
		}
		return builtins.Precision(*precision).SSSP(e.Graph.Catalogue(), first, more), err
	})
}

// precisionFlag declares --precision.
func precisionFlag(fs *pflag.FlagSet) *string {
	return flags.Enum(fs, "precision", builtins.Auto, []builtins.Precision{builtins.Auto, builtins.Single, builtins.Double},
		"bits of a value, a floating-point number: 32 where results are exact or within 1e-6 of themselves, otherwise 64 (auto)")
}
