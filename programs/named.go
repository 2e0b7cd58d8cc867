package programs

// What the results of programs are called: all of them are gas.Named.

// ColumnName is that of the ranks.
func (PageRank[F]) ColumnName() string { return "pagerank" }

// ColumnName is that of the ranks.
func (PersonalisedPageRank[F]) ColumnName() string { return "pagerank" }

// ColumnName is that of the ranks.
func (BiasedPageRank[F]) ColumnName() string { return "pagerank" }

// ColumnName is that of the numbers of edges from a source.
func (BFS) ColumnName() string { return "hops" }

// ColumnName is that of the lengths of paths.
func (SSSP[F]) ColumnName() string { return "distance" }

// ColumnName is that of the least vertices of components.
func (WCC) ColumnName() string { return "component" }

// ColumnName is that of the widths of paths.
func (SSWP[F]) ColumnName() string { return "width" }

// ColumnName is that of 1 in the core, and 0 outside it.
func (KCore) ColumnName() string { return "core" }

// ColumnName is that of the communities.
func (LPA) ColumnName() string { return "label" }

// ColumnName is that of the centralities.
func (Katz[F]) ColumnName() string { return "katz" }

// ColumnName is that of the temperatures.
func (Heat) ColumnName() string { return "temperature" }

// ColumnName is that of the voltages.
func (Circuit) ColumnName() string { return "volts" }

// ColumnName is that of the activities of neurons.
func (Neural) ColumnName() string { return "activity" }
