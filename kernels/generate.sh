#!/bin/sh
# Compiles the templates to PTX for the oldest GPUs that garaph runs on. Another
# version of nvcc writes other PTX, so only the one that wrote what is committed
# writes it again; without it the files stay, and TestFresh reports whether they
# are of these templates.
set -e
export LC_ALL=C # the order of the headers
if ! nvcc --version 2>/dev/null | grep -q 'release 11\.8'; then
	echo 'kernels: no nvcc 11.8: the PTX stays as it is' >&2
	exit 0
fi
for k in *.cu; do
	out=${k%.cu}.ptx
	nvcc -ptx -O3 -arch=compute_70 "$k" -o "$out.new"
	{ echo "// of $(cat *.cuh "$k" | sha256sum | cut -c1-16)"; cat "$out.new"; } >"$out"
	rm "$out.new"
done
