package main

import (
	"context"
	"errors"
	"log"
	"os"
	"sync"
)

// commands are run in this order. The plan must find nothing left to do.
var commands = [][]string{
	{"apply", "-auto-approve"},
	{"plan", "-detailed-exitcode"},
	{"destroy", "-auto-approve"},
}

// measure does what the options ask for. All files are in a temporary directory.
func measure(ctx context.Context, o options) (_ *results, err error) {
	dir, err := os.MkdirTemp("", "bench") // a short path: Unix sockets need one
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	log.Print("building the providers")
	b, err := newBench(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	r := newResults(b.version, o)
	for _, n := range o.sizes {
		measured, err := b.measureSize(ctx, n, o.repetitions)
		if err != nil {
			return nil, err
		}
		r.Measurements = append(r.Measurements, measured...)
	}
	if o.limited > 0 {
		r.Limited, err = b.measureLimited(ctx, o.limited, o.limit)
	}
	return r, err
}

// measureSize runs all commands with each provider in turn. What is compared is
// measured within a short time, so that a slow phase of the machine affects all.
func (b *bench) measureSize(ctx context.Context, n, repetitions int) ([]measurement, error) {
	type key struct{ command, provider string }
	samples := map[key][]sample{}
	for repetition := range repetitions {
		for i := range providers {
			p := providers[(i+repetition)%len(providers)] // none is always the first
			w, err := b.newWorkspace(ctx, p, n)
			if err != nil {
				return nil, err
			}
			for _, args := range commands {
				s, err := w.run(ctx, args...)
				if err != nil {
					return nil, errors.Join(err, w.close())
				}
				log.Printf("%d pipes, %d of %d: %s %s %.2f s", n, repetition+1, repetitions, p.name, args[0], s.Seconds)
				samples[key{args[0], p.name}] = append(samples[key{args[0], p.name}], s)
			}
			if err := w.close(); err != nil {
				return nil, err
			}
		}
	}
	var all []measurement
	for _, args := range commands {
		for _, p := range providers {
			all = append(all, measurement{N: n, Command: args[0], Provider: p.name, sample: median(samples[key{args[0], p.name}])})
		}
	}
	return all, nil
}

// measureLimited applies n pipes under a rate limit, once for each header. These
// applies wait most of the time, so they run side by side.
func (b *bench) measureLimited(ctx context.Context, n int, limit rateLimit) ([]limitedApply, error) {
	log.Printf("rate-limited apply of %d pipes, %d requests in %v", n, limit.requests, limit.window)
	all := make([]limitedApply, len(limitHeaders))
	errs := make([]error, len(limitHeaders))
	var wait sync.WaitGroup
	for i, header := range limitHeaders {
		wait.Go(func() {
			w, err := b.newWorkspace(ctx, dbplatform, n)
			if err != nil {
				errs[i] = err
				return
			}
			w.api.setLimit(limit, header.style)
			s, err := w.run(ctx, commands[0]...)
			errs[i] = errors.Join(err, w.close())
			all[i] = limitedApply{
				N: n, Header: header.name, sample: s.rounded(), MaxFactor: header.maxFactor,
				Minimum: limit.minimum(int(s.Requests - s.Refused)).Seconds(),
			}
			log.Printf("%s: %.2f s", header.name, s.Seconds)
		})
	}
	wait.Wait()
	return all, errors.Join(errs...)
}
