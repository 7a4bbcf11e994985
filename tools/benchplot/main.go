// Command benchplot reads the results of the benchmarks and writes a picture, as SVG:
// the median times of each provider and their confidence intervals, in a panel for each number of pipes.
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
	canvas := vgsvg.New(20*vg.Centimeter, 8*vg.Centimeter)
	tiles := draw.Tiles{Cols: 2, Rows: 1}
	for column, pipes := range []int{100, 1000} {
		panel(pipes, seconds).Draw(tiles.At(draw.New(canvas), column, 0))
	}
	if _, err := canvas.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// texts are the providers in the legend.
var texts = map[string]string{
	"terraform_data": "terraform_data, built into Terraform",
	"empty":          "a provider that does nothing",
	"dbplatform":     "dbplatform",
}

type errorBars struct {
	plotter.XYs
	plotter.YErrors
}

// shifted draws error bars over bars that have an offset.
type shifted struct {
	*plotter.YErrorBars
	offset vg.Length
}

func (s shifted) Plot(c draw.Canvas, p *plot.Plot) {
	c.Push()
	c.Translate(vg.Point{X: s.offset})
	s.YErrorBars.Plot(c, p)
	c.Pop()
}

func panel(pipes int, seconds map[string][]float64) *plot.Plot {
	commands := []string{"Apply", "Plan", "Destroy"}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%d pipes", pipes)
	p.Y.Label.Text = "seconds"
	p.X.Label.Text = "median and 95 % confidence interval"
	p.NominalX(commands...)
	p.Legend.Top, p.Legend.Left = true, true
	const width = 20
	for i, provider := range []string{"terraform_data", "empty", "dbplatform"} {
		var medians plotter.Values
		var spread errorBars
		for j, command := range commands {
			name := fmt.Sprintf("%s/pipes=%d/provider=%s", command, pipes, provider)
			summary := benchmath.AssumeNothing.Summary(benchmath.NewSample(seconds[name], &benchmath.DefaultThresholds), 0.95)
			medians = append(medians, summary.Center)
			spread.XYs = append(spread.XYs, plotter.XY{X: float64(j), Y: summary.Center})
			spread.YErrors = append(spread.YErrors, struct{ Low, High float64 }{summary.Center - summary.Lo, summary.Hi - summary.Center})
		}
		bars, err := plotter.NewBarChart(medians, width)
		if err != nil {
			log.Fatal(err)
		}
		bars.Offset = vg.Length((i - 1) * width)
		bars.Color = plotutil.Color(i)
		lines, err := plotter.NewYErrorBars(spread)
		if err != nil {
			log.Fatal(err)
		}
		p.Add(bars, shifted{lines, bars.Offset})
		p.Legend.Add(texts[provider], bars)
	}
	p.X.Max += 0.5
	p.Y.Max *= 1.5 // room for the legend
	return p
}
