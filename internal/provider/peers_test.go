package provider

import (
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/acctest"
)

// inParallel runs tests that mostly wait, many more at a time than there are
// processors.
func inParallel[E any](cases []E, run func(E)) {
	next := make(chan E)
	var all sync.WaitGroup
	for range 48 {
		all.Go(func() {
			for c := range next {
				run(c)
			}
		})
	}
	for _, c := range cases {
		next <- c
	}
	close(next)
	all.Wait()
}

// peers are many resources in one provider, each with a core of its own, that
// go through a walk side by side as Terraform has them do.
type peers struct {
	t       *testing.T
	connect func() tfprotov6.ProviderServer
	cores   []*acctest.Core
	configs []acctest.Configs // one resource each
}

func newPeers(t *testing.T, env *acctest.Env, settings map[string]any, resources []acctest.Configs) *peers {
	t.Helper()
	first := env.Core(t, settings)
	p := &peers{t: t, connect: first.Connect, configs: resources}
	for range resources {
		p.cores = append(p.cores, first.Sibling())
	}
	return p
}

// walk begins a walk and visits all resources, thirty at a time, and answers
// what went wrong with each.
func (p *peers) walk(visit func(i int, c *acctest.Core, kind string, config map[string]any) error) []error {
	server := p.connect()
	errs := make([]error, len(p.cores))
	places := make(chan struct{}, 30)
	var all sync.WaitGroup
	for i, c := range p.cores {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			c.Server = server
			for kind, config := range p.configs[i] {
				errs[i] = visit(i, c, kind, config)
			}
		})
	}
	all.Wait()
	return errs
}

// apply plans all resources and, unless a plan fails, applies them. It answers
// how many had changes, and what went wrong.
func (p *peers) apply() (changed int, errs []error) {
	p.t.Helper()
	plans := make([]*acctest.Plan, len(p.cores))
	errs = p.walk(func(i int, c *acctest.Core, kind string, config map[string]any) error {
		if err := c.Refresh(kind); err != nil {
			return err
		}
		planned, err := c.Plan(kind, c.Config(kind, config))
		if err == nil && !planned.Planned.Equal(c.Instance(kind).State) {
			plans[i] = &planned
		}
		return err
	})
	for _, one := range plans {
		if one != nil {
			changed++
		}
	}
	if changed == 0 || slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
		return changed, errs
	}
	return changed, p.walk(func(i int, c *acctest.Core, kind string, _ map[string]any) error {
		if plans[i] == nil {
			return nil
		}
		return c.Apply(kind, *plans[i])
	})
}
