//go:build !(linux && (amd64 || arm64))

package sigbus

func install() {}
