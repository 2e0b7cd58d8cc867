package htmlreport

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/garaph/garaph/dispatcher"
)

var iterationAxis = scale{label: "iteration", whole: true}

func secondsAxis(label string, log bool) scale {
	return scale{label: label + " (seconds)", unit: "s", log: log}
}

// caption joins sentences, passing over those that are "".
func caption(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// leftOut reports what the axes cannot show.
func leftOut(n int, one, many, lacks string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Left out: %s without %s.", count(n, one, many), lacks)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(int64(n)) + " " + many
}

func iterations(n int) string { return count(n, "iteration", "iterations") }

// timeFigure shows the time of each iteration, and that of each device.
func timeFigure(its []dispatcher.Iteration) figure {
	f := figure{ID: "time", Title: "Time of each iteration"}
	if len(its) == 0 {
		f.Caption = noIterations
		return f
	}
	c := chart{x: iterationAxis, y: secondsAxis("time", false)}
	whole := series{name: "whole iteration", color: grey, line: draw.LineStyle{Color: grey, Width: 5}, shape: square}
	cpu := series{name: "CPU", color: blue, line: draw.LineStyle{Color: blue, Width: 1.5}, shape: octagon}
	gpu := series{name: "GPU", color: vermilion, line: draw.LineStyle{Color: vermilion, Width: 1.5}, shape: diamond}
	total, slowest, wrong := 0.0, its[0], 0
	for _, it := range its {
		x := float64(it.Iteration + 1)
		if c.y.shows(it.Seconds) {
			total += it.Seconds
		} else {
			wrong++
		}
		if it.Seconds > slowest.Seconds || math.IsNaN(slowest.Seconds) {
			slowest = it
		}
		whole.points = append(whole.points, plotter.XY{X: x, Y: it.Seconds})
		cpu.points = append(cpu.points, plotter.XY{X: x, Y: did(it, dispatcher.CPU)})
		gpu.points = append(gpu.points, plotter.XY{X: x, Y: did(it, dispatcher.GPU)})
	}
	var idle []string
	c.add(whole)
	for _, s := range []series{cpu, gpu} {
		if c.add(s) == 0 {
			idle = append(idle, fmt.Sprintf("The %s had no page.", s.name))
		}
	}
	c.into(&f)
	which := fmt.Sprintf("iteration is %d", slowest.Iteration+1)
	if slowest.Levels > 1 {
		which = fmt.Sprintf("iterations are %d to %d, done or reported at once", slowest.Iteration+1, slowest.Iteration+slowest.Levels)
	}
	f.Caption = caption(
		fmt.Sprintf("The time of a device is from its first page to its last. %s in all; the slowest %s, with %s.",
			number(total, "s"), which, number(slowest.Seconds, "s")),
		caption(idle...), leftOut(wrong, "iteration", "iterations", "a time that could be shown"))
	return f
}

const noIterations = "No iteration was done in this process."

// did is the time of a device in an iteration, NaN if it did nothing.
func did(it dispatcher.Iteration, d dispatcher.Device) float64 {
	if w, ok := it.Devices[d]; ok {
		return w.Seconds
	}
	return math.NaN()
}

// fractionFigure shows f in each iteration, and what ran: the shape of a mark is
// the method, its colour the device.
func fractionFigure(r dispatcher.Report) figure {
	f := figure{ID: "f", Title: "Share of active edges, and what ran"}
	if len(r.Iterations) == 0 {
		f.Caption = noIterations
		return f
	}
	c := chart{x: iterationAxis, y: scale{label: "f = edges of active vertices / edges", log: true}}
	least, zeros, wrong := math.Inf(1), 0, 0
	for _, it := range r.Iterations {
		switch {
		case it.Fraction == 0:
			zeros++
		case c.y.shows(it.Fraction):
			least = min(least, it.Fraction)
		default:
			wrong++
		}
	}
	wrongText := leftOut(wrong, "iteration", "iterations", "an f that could be shown")
	if math.IsInf(least, 1) {
		f.Caption = caption("f is 0 wherever it is known: no edge led out of an active vertex.", wrongText)
		return f
	}
	floor := least / 3
	line := series{color: grey, line: draw.LineStyle{Color: grey, Width: 1}}
	kinds := map[kind]plotter.XYs{}
	for _, it := range r.Iterations {
		at := plotter.XY{X: float64(it.Iteration + 1), Y: it.Fraction}
		if it.Fraction == 0 {
			at.Y = floor
		}
		line.points = append(line.points, at)
		k := kind{it.Method, it.Device}
		kinds[k] = append(kinds[k], at)
	}
	c.add(line)
	for _, k := range allKinds {
		if len(kinds[k]) == 0 {
			continue
		}
		c.add(series{name: fmt.Sprintf("%s, %s", k.method, k.device), points: kinds[k], color: deviceColors[k.device], shape: methodShapes[k.method]})
	}
	c.level, c.name = r.NotifyLimit, "limit"
	limit := number(c.level, "")
	if r.AccessRatio > 0 {
		limit = fmt.Sprintf("1/(2k) = %s, from disk", limit)
	}
	if !c.y.shows(c.level) {
		c.level = 0
	}
	c.into(&f)
	atFloor := ""
	if zeros > 0 {
		atFloor = fmt.Sprintf("Marks at the bottom of the line stand for f = 0, as in %s.", iterations(zeros))
	}
	f.Caption = caption(fmt.Sprintf("Where the engine chooses, it notifies where f is at most the limit (%s), and pulls otherwise; it also pulls when the aggregate changed, and where a pull looks at few edges.", limit), atFloor, wrongText)
	return f
}

// kind is what ran in an iteration.
type kind struct {
	method dispatcher.Method
	device dispatcher.Device
}

var (
	allKinds = []kind{
		{dispatcher.Pull, dispatcher.CPU}, {dispatcher.Pull, dispatcher.GPU}, {dispatcher.Pull, dispatcher.Hybrid},
		{dispatcher.NotifyPull, dispatcher.CPU}, {dispatcher.NotifyPull, dispatcher.GPU}, {dispatcher.NotifyPull, dispatcher.Hybrid},
		{dispatcher.Frontier, dispatcher.CPU},
	}
	deviceColors = map[dispatcher.Device]color.Color{dispatcher.CPU: blue, dispatcher.GPU: vermilion, dispatcher.Hybrid: green}
	methodShapes = map[dispatcher.Method]shape{dispatcher.Pull: square, dispatcher.NotifyPull: triangle, dispatcher.Frontier: octagon}
)

// alphaFigure shows by how much the GPU would be faster.
func alphaFigure(r dispatcher.Report) figure {
	f := figure{ID: "alpha", Title: "α: time of the CPU over time of the GPU"}
	if len(r.Iterations) == 0 {
		f.Caption = noIterations
		return f
	}
	s := series{name: "α", color: green, line: draw.LineStyle{Color: green, Width: 1.5}, shape: octagon}
	c := chart{x: iterationAxis, y: scale{label: "α", log: true}, level: 1, name: "α = 1"}
	none, wrong := 0, 0
	for _, it := range r.Iterations {
		switch {
		case it.Alpha == 0:
			none++
		case !c.y.shows(it.Alpha):
			wrong++
		}
		s.points = append(s.points, plotter.XY{X: float64(it.Iteration + 1), Y: it.Alpha})
	}
	wrongText := leftOut(wrong, "iteration", "iterations", "an α that could be shown")
	switch {
	case none == len(r.Iterations) && r.GPU == "":
		f.Caption = "Nothing was to choose: no GPU."
		return f
	case none == len(r.Iterations):
		f.Caption = "Nothing was to choose: the device was given, or one processor had all the work."
		return f
	}
	c.add(s)
	c.into(&f)
	gaps := ""
	if none > 0 {
		gaps = fmt.Sprintf("In %s nothing was to choose.", iterations(none))
	}
	f.Caption = caption("Up to 1, the CPU works alone; above it, the GPU takes part.", gaps, wrongText)
	return f
}
