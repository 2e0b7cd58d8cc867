package algorithms

// What the values of algorithms are called: all of them are gas.Named.

// ColumnName is that of the least vertices of components.
func (Components) ColumnName() string { return "component" }

// ColumnName is that of the core numbers.
func (Coreness) ColumnName() string { return "core" }

// ColumnName is that of 1 in the core, and 0 outside it.
func (KCore) ColumnName() string { return "core" }

// ColumnName is that of the numbers of edges at vertices.
func (Degrees) ColumnName() string { return "degree" }

// ColumnName is that of the numbers of triangles at vertices.
func (Triangles) ColumnName() string { return "triangles" }

// ColumnName is that of the largest k.
func (Truss) ColumnName() string { return "k" }
