// Command benchplot reads the results of the benchmarks and writes a picture, as SVG:
// the median times of each provider, in a panel for each number of pipes.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	seconds := map[string][]float64{} // by benchmark: Apply/pipes=100/provider=empty
	for reader := benchfmt.NewReader(os.Stdin, "standard input"); reader.Scan(); {
		if result, ok := reader.Result().(*benchfmt.Result); ok {
			name, _, _ := strings.Cut(result.Name.String(), "-") // the number of CPUs
			value, _ := result.Value("sec/op")
			seconds[name] = append(seconds[name], value)
		}
	}
	plot.DefaultFont.Variant = "Sans"
	canvas := vgsvg.New(18*vg.Centimeter, 7*vg.Centimeter)
	tiles := draw.Tiles{Cols: 2, Rows: 1}
	for column, pipes := range []int{100, 1000} {
		panel(pipes, seconds).Draw(tiles.At(draw.New(canvas), column, 0))
	}
	if _, err := canvas.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func panel(pipes int, seconds map[string][]float64) *plot.Plot {
	commands := []string{"Apply", "Plan", "Destroy"}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%d pipes, in seconds", pipes)
	p.NominalX(commands...)
	p.Legend.Top, p.Legend.Left = true, true
	const width = 20
	for i, provider := range []string{"terraform_data", "empty", "dbplatform"} {
		var medians plotter.Values
		for _, command := range commands {
			name := fmt.Sprintf("%s/pipes=%d/provider=%s", command, pipes, provider)
			sample := benchmath.NewSample(seconds[name], &benchmath.DefaultThresholds)
			medians = append(medians, benchmath.AssumeNothing.Summary(sample, 0.95).Center)
		}
		bars, err := plotter.NewBarChart(medians, width)
		if err != nil {
			log.Fatal(err)
		}
		bars.Offset = vg.Length((i - 1) * width)
		bars.Color = plotutil.Color(i)
		p.Add(bars)
		p.Legend.Add(provider, bars)
	}
	p.X.Max += 0.5
	p.Y.Max *= 1.4 // room for the legend
	return p
}
