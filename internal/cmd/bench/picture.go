package main

import (
	"fmt"
	"strings"
)

// The picture, in pixels.
const (
	panelWidth, panelHeight = 290, 240
	groupWidth, barWidth    = 90, 26
	legendWidth             = 95
	base, longestBar        = 190, 140 // the bars' lower end, from the top
)

var colors = []string{"#bbb", "#69c", "#c63"} // in the order of providers

// picture is an SVG with a panel of bars for each number of pipes.
func (r *results) picture() string {
	var panels strings.Builder
	width, last := 0, 0
	for _, m := range r.Measurements {
		if m.N != last {
			fmt.Fprintf(&panels, "<g transform=\"translate(%d)\">\n%s</g>\n", width, r.panel(m.N))
			width, last = width+panelWidth, m.N
		}
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %[1]d %[2]d\" width=\"%[1]d\" font-family=\"Arial, sans-serif\" font-size=\"12\">\n"+
		"<rect width=\"%[1]d\" height=\"%[2]d\" fill=\"#fff\"/>\n%[3]s</svg>\n", width, panelHeight, &panels)
}

func (r *results) panel(n int) string {
	longest := 0.0
	for _, m := range r.Measurements {
		if m.N == n {
			longest = max(longest, m.Seconds)
		}
	}
	var svg strings.Builder
	text := func(anchor string, x int, y float64, text string) {
		fmt.Fprintf(&svg, "<text text-anchor=\"%s\" x=\"%d\" y=\"%.1f\">%s</text>\n", anchor, x, y, text)
	}
	bar := func(x int, y, width, height float64, provider int) {
		fmt.Fprintf(&svg, "<rect x=\"%d\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, colors[provider])
	}
	text("middle", panelWidth/2, 18, fmt.Sprintf("%d pipes, in seconds", n))
	for c, args := range commands {
		left := 10 + c*groupWidth
		for i, p := range providers {
			m, _ := r.find(n, args[0], p.name)
			height := m.Seconds / longest * longestBar
			x := left + 5 + i*barWidth
			bar(x, base-height, barWidth-2, height, i)
			text("middle", x+barWidth/2-1, base-height-4, fmt.Sprintf("%.1f", m.Seconds))
		}
		text("middle", left+groupWidth/2, base+16, args[0])
	}
	for i, p := range providers {
		left := 10 + i*legendWidth
		bar(left, base+30, 10, 10, i)
		text("start", left+14, base+39, p.name)
	}
	return svg.String()
}
