// Package bench measures: it makes the graphs to measure with ([Generate]),
// finds the ceilings of the machine, and compares the programs with
// them ([Measure]).
//
// The ceilings are speeds that no engine of this kind passes:
//
//   - gather-only reads the sources of a graph's own edges in the order of their
//     destinations and adds up the sources' values, with no sum per destination:
//     what remains of a pull when everything but the memory is free. Of a packed
//     graph it decodes the blocks of the shards, and adds up likewise;
//   - stream copy is the bandwidth of the memory;
//   - the sequential disk read goes past the system's page cache, with as many
//     requests of 1 MiB at once as there are threads.
//
// A pull in memory is compared with gather-only, a pull from disk with the
// lower of the disk and the same program in memory. Machines are noisy, and
// shared ones more so: ceilings and programs take turns in rounds, a share is
// computed from a run and the ceiling right before it, and what is reported is
// the median of the rounds with the least and the most.
//
// [MeasureGPU] does the same for a GPU and its link, and [MeasureHybrid] compares
// jobs on CPU and GPU together with jobs on either.
package bench
