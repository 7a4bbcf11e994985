package main

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	panelWidth  = 10 * vg.Centimeter
	panelHeight = 8 * vg.Centimeter
	barWidth    = 0.6 * vg.Centimeter
)

var colors = []color.Color{ // in the order of providers
	color.RGBA{R: 0xbb, G: 0xbb, B: 0xbb, A: 0xff},
	color.RGBA{R: 0x66, G: 0x99, B: 0xcc, A: 0xff},
	color.RGBA{R: 0xcc, G: 0x66, B: 0x33, A: 0xff},
}

func init() { plot.DefaultFont.Variant = "Sans" }

// picture is an SVG with a panel of bars for each number of pipes.
func (r *results) picture() (string, error) {
	var panels []*plot.Plot
	for i, m := range r.Measurements {
		if i > 0 && m.N == r.Measurements[i-1].N {
			continue
		}
		panel, err := r.panel(m.N)
		if err != nil {
			return "", err
		}
		panels = append(panels, panel)
	}
	if len(panels) == 0 {
		return "", nil
	}
	canvas := vgsvg.New(panelWidth*vg.Length(len(panels)), panelHeight)
	background := draw.New(canvas)
	background.SetColor(color.White)
	background.Fill(background.Path())
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Centimeter / 2}
	for i, c := range plot.Align([][]*plot.Plot{panels}, tiles, background)[0] {
		panels[i].Draw(c)
	}
	var svg strings.Builder
	_, err := canvas.WriteTo(&svg)
	return strings.ReplaceAll(svg.String(), "Liberation Sans", "Liberation Sans,Arial,sans-serif"), err
}

func (r *results) panel(n int) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%d pipes", n)
	p.Y.Label.Text = "seconds"
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, vg.Points(2)
	var names []string
	for _, args := range commands {
		names = append(names, args[0])
	}
	p.NominalX(names...)
	for i, provider := range providers {
		var seconds plotter.Values
		for _, name := range names {
			m, _ := r.find(n, name, provider.name)
			seconds = append(seconds, m.Seconds)
		}
		bars, err := plotter.NewBarChart(seconds, barWidth)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.LineStyle.Width = colors[i], 0
		bars.Offset = barWidth * vg.Length(i-len(providers)/2)
		p.Add(bars)
		p.Legend.Add(provider.name, bars)
	}
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.Y.Min = 0
	p.Y.Max *= 1.35 // room for the legend
	return p, nil
}
