package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A bench lets worlds live, and keeps the samples.
type bench struct {
	workshop *workshop

	mu       sync.Mutex // guards what follows
	progress io.Writer
	timed    samples
	metered  samples // of lives that are not timed, because metering disturbs them
}

// samples are what was taken of each subject.
type samples map[subject][]sample

// run repeats all scenarios: what is compared is taken at nearly the same time,
// so that a machine that slows down does so for all. Metering comes last.
func (b *bench) run(ctx context.Context, scenarios []scenario, repetitions, metered int) error {
	for repetition := range repetitions {
		for _, s := range scenarios {
			if s.most > 0 && repetition >= s.most {
				continue
			}
			b.say("repetition %d of %d, %s\n", repetition+1, repetitions, s.title())
			for life := range s.lives {
				if err := b.repeat(ctx, s, repetition*s.lives+life, false); err != nil {
					return err
				}
			}
		}
	}
	for repetition := range metered {
		for _, s := range scenarios {
			if !s.meter || s.most > 0 && repetition >= s.most {
				continue
			}
			b.say("metering %d of %d, %s\n", repetition+1, metered, s.title())
			if err := b.repeat(ctx, s, repetition, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeat lets every world of a scenario live once. Which comes first changes
// from turn to turn.
func (b *bench) repeat(ctx context.Context, s scenario, turn int, metered bool) error {
	var ended sync.WaitGroup
	errs := make([]error, len(s.worlds))
	for i := range s.worlds {
		w := s.worlds[(i+turn)%len(s.worlds)]
		switch {
		case metered && w.provider == "": // nothing to meter
		case s.together:
			ended.Go(func() { errs[i] = b.live(ctx, s, w, metered) })
		default:
			if err := b.live(ctx, s, w, metered); err != nil {
				return err
			}
		}
	}
	ended.Wait()
	return errors.Join(errs...)
}

func (b *bench) live(ctx context.Context, s scenario, w world, metered bool) (err error) {
	l, err := b.workshop.begin(ctx, w, s.n, metered)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.end()) }()
	took := []string{}
	for _, step := range s.steps {
		taken, err := l.run(ctx, step)
		if err != nil {
			return err
		}
		took = append(took, fmt.Sprintf("%s %.2f s", step.name, taken.wall.Seconds()))
		if !step.aside {
			b.keep(s.subject(w, step), taken, metered)
		}
	}
	b.say("  %s: %s\n", strings.TrimSpace(w.name+" "+w.condition), strings.Join(took, ", "))
	return nil
}

func (b *bench) keep(of subject, taken sample, metered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if metered {
		b.metered[of] = append(b.metered[of], taken)
	} else {
		b.timed[of] = append(b.timed[of], taken)
	}
}

func (b *bench) say(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.progress, format, args...)
}
