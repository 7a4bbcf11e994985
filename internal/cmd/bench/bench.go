package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// A bench collects the samples of lives.
type bench struct {
	workshop *workshop
	progress io.Writer
	samples  map[key][]sample
	meters   map[key][]sample
}

// A key names what was measured.
type key struct {
	scenario  string
	n         int
	step      string
	world     string
	condition string
}

func (b *bench) run(ctx context.Context, o *options) error {
	b.meters = map[key][]sample{}
	for repetition := range o.repetitions + o.metered {
		for _, n := range o.n {
			if err := b.repeat(ctx, pipes(n, o.latencies), repetition, repetition >= o.repetitions); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) repeat(ctx context.Context, s scenario, repetition int, metered bool) error {
	for i := range s.worlds {
		w := s.worlds[(i+repetition)%len(s.worlds)]
		if err := b.live(ctx, s, w, metered); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) live(ctx context.Context, s scenario, w world, metered bool) (err error) {
	l, err := b.workshop.begin(ctx, s, w, metered)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.end()) }()
	for _, step := range s.steps {
		taken, err := l.run(ctx, step)
		if err != nil {
			return err
		}
		k := key{s.name, s.n, step.name, w.name, w.condition}
		fmt.Fprintf(b.progress, "%s, %d, %s of %s %s: %.2f s\n", k.scenario, k.n, k.step, k.world, k.condition, taken.wall.Seconds())
		if metered {
			b.meters[k] = append(b.meters[k], taken)
		} else {
			b.samples[k] = append(b.samples[k], taken)
		}
	}
	return nil
}

func (b *bench) print(out io.Writer) error {
	median := func(samples []sample, of func(sample) float64) float64 {
		var values []float64
		for _, s := range samples {
			values = append(values, of(s))
		}
		slices.Sort(values)
		if len(values) == 0 {
			return 0
		}
		return values[len(values)/2]
	}
	wall := func(k key) float64 {
		return median(b.samples[k], func(s sample) float64 { return s.wall.Seconds() })
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tN\tstep\tworld\t\twall s\t× terraform_data\t× empty\tCPU s\tmemory MiB\trequests\tconnections\tAPI CPU s")
	keys := slices.SortedFunc(maps.Keys(b.samples), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.scenario, b.scenario), cmp.Compare(a.n, b.n), cmp.Compare(a.step, b.step),
			cmp.Compare(b.world, a.world), cmp.Compare(a.condition, b.condition))
	})
	for _, k := range keys {
		floor := k
		floor.condition = ""
		floor.world = "terraform_data"
		data := wall(floor)
		floor.world = "empty"
		empty := wall(floor)
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%.2f\n",
			k.scenario, k.n, k.step, k.world, k.condition, wall(k), wall(k)/data, wall(k)/empty,
			median(b.meters[k], func(s sample) float64 { return s.cpu.Seconds() }),
			median(b.meters[k], func(s sample) float64 { return float64(s.memory) / (1 << 20) }),
			median(b.samples[k], func(s sample) float64 { return float64(s.requests) }),
			median(b.samples[k], func(s sample) float64 { return float64(s.connections) }),
			median(b.samples[k], func(s sample) float64 { return s.apiCPU.Seconds() }))
	}
	return table.Flush()
}
