// mutual counts, for each vertex, the neighbours that it leads to and that lead to it, by a thread.
// nvcc -ptx -arch=compute_70 mutual.cu -o mutual.ptx

#include <stdint.h>

struct rows {
	const uint64_t *off; // n + 1 of them
	const uint32_t *nbr; // ascending in each row
};

struct mutual_args {
	rows in, out;
	int64_t *counts;
	uint32_t n;
};

extern "C" __global__ void mutual(const mutual_args a)
{
	uint64_t v = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= a.n) return;
	int64_t count = 0;
	for (uint64_t i = a.in.off[v], o = a.out.off[v]; i < a.in.off[v + 1]; i++) {
		uint32_t u = a.in.nbr[i];
		while (o < a.out.off[v + 1] && a.out.nbr[o] < u) o++;
		bool first = i == a.in.off[v] || u != a.in.nbr[i - 1];
		if (first && o < a.out.off[v + 1] && a.out.nbr[o] == u) count++;
	}
	a.counts[v] = count;
}
