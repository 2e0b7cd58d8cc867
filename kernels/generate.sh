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
compile() {
	source=$1 out=$2
	shift 2
	nvcc -ptx -O3 -arch=compute_70 "$@" "$source" -o "$out.new"
	{ echo "// of $(cat *.cuh "$source" | sha256sum | cut -c1-16)"; cat "$out.new"; } >"$out"
	rm "$out.new"
}
for k in *.cu; do
	compile "$k" "${k%.cu}.ptx"
	case $k in pull_*) compile "$k" "${k%.cu}_wide.ptx" -DWIDE ;; esac
done
