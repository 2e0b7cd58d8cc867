// Package bench generates graphs ([Generate]) and measures programs and engines
// against what the machine can do.
//
// [Measure] compares programs on the CPU with ceilings: gather-only, which reads the
// values of the sources of all in-edges, in the order in which the graph has them, and sums
// them without a sum for each destination; and sequential reads
// of the disk past the system's page cache. [MeasureGPU] does so for a GPU and its link,
// [MeasureFrontiers] compares the policies of frontiers on a GPU, and [MeasureHybrid] jobs
// on CPU and GPU together with jobs on either.
//
// A share of a ceiling is computed from a run and the ceiling measured right before it,
// because machines are noisy, and figures are medians of rounds, with the least and the most.
package bench
