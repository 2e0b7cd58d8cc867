package programs

// Which programs are gas.Idempotent: all but Heat and LPA, whose vertices go on
// while those around them rest.

// Idempotent reports that the nearer distance is kept.
func (BFS) Idempotent() bool { return true }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (PageRank[F]) Idempotent() bool { return true }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (PersonalisedPageRank[F]) Idempotent() bool { return true }

// Idempotent reports that a rank follows from the neighbours' ranks alone.
func (BiasedPageRank[F]) Idempotent() bool { return true }

// Idempotent reports that the nearer distance is kept.
func (SSSP[F]) Idempotent() bool { return true }

// Idempotent reports that the lesser label is kept.
func (WCC) Idempotent() bool { return true }

// Idempotent reports that the wider path is kept.
func (SSWP[F]) Idempotent() bool { return true }

// Idempotent reports that a vertex is removed by its neighbours alone, for good.
func (KCore) Idempotent() bool { return true }

// Idempotent reports that a value follows from the neighbours' values alone.
func (Katz[F]) Idempotent() bool { return true }

// Idempotent reports that a voltage is held, or follows from the neighbours' alone.
func (Circuit) Idempotent() bool { return true }

// Idempotent reports that activity follows from that of others alone.
func (Neural) Idempotent() bool { return true }

// Which programs are gas.Monotone: those that keep the better of two values.

// Monotone reports that distances only fall.
func (BFS) Monotone() bool { return true }

// Monotone reports that distances only fall.
func (SSSP[F]) Monotone() bool { return true }

// Monotone reports that labels only fall.
func (WCC) Monotone() bool { return true }

// Monotone reports that paths only get wider.
func (SSWP[F]) Monotone() bool { return true }
