//go:build race

package cli

func init() { raceDetector = true }
