package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// testProvider runs tests with a CLI. It ends only when no request of the provider
// is under way.
func (r *run) testProvider(ctx context.Context, folder string, test func(context.Context, *terraform) error) (err error) {
	baseURL, end, err := r.record.serve(ctx, r.s.baseURL)
	if err != nil {
		return err
	}
	defer func() {
		if failed := end(); err == nil {
			err = failed
		}
	}()
	t, err := newTerraform(ctx, r.s, folder, baseURL, r.readMethod())
	if err != nil {
		return err
	}
	return test(ctx, t)
}

// A managed object is a resource for one of the objects.
type managed struct {
	o        *object
	resource string // without dbplatform_
	label    string
	ids      map[string]any
	importID string
}

// managed returns the resources for the objects that the API shows.
func (r *run) managed() (all []managed) {
	for i, o := range r.objects {
		if o.shown == nil {
			continue
		}
		id := o.Path[strings.LastIndex(o.Path, "/")+1:]
		switch o.Kind {
		case "service":
			all = append(all, managed{o, "service", "test", map[string]any{"service_id": id}, id})
		case "key":
			all = append(all, managed{o, "api_key", "test", map[string]any{"key_id": id}, id})
		case "pipe":
			for _, resource := range []string{"pipe_scaling", "pipe_settings"} {
				ids := map[string]any{"service_id": r.s.serviceID, "pipe_id": id}
				all = append(all, managed{o, resource, fmt.Sprintf("pipe_%d", i), ids, r.s.serviceID + "/" + id})
			}
		}
	}
	return all
}

// usable reports whether a configuration of the resource can set anything.
func (m managed) usable() bool {
	return m.o.Kind != "pipe" || slices.ContainsFunc(attributes, func(a attribute) bool {
		if a.resource != m.resource {
			return false
		}
		_, why := a.change(m.o)
		return why == ""
	})
}

// testReads looks everything up, imports it with generated configuration, and
// expects an empty plan.
func (r *run) testReads(ctx context.Context, t *terraform) error {
	r.say("Reading, with %s", t.version)
	data, imports := map[string]any{}, []any{}
	add := func(kind, label string, ids map[string]any) {
		if data["dbplatform_"+kind] == nil {
			data["dbplatform_"+kind] = map[string]any{}
		}
		data["dbplatform_"+kind].(map[string]any)[label] = ids
	}
	var names []string
	for _, m := range r.managed() {
		switch m.resource {
		case "pipe_scaling":
			add("pipe", m.label, m.ids)
		case "service":
			add("backups", m.label, m.ids)
			fallthrough
		case "api_key":
			add(m.resource, m.label, m.ids)
		}
		if !m.usable() {
			r.say("  - dbplatform_%s of %s is not imported: it has nothing to manage", m.resource, m.o.Name)
			continue
		}
		if why := t.cannotGenerate(); why != "" {
			r.say("  - dbplatform_%s of %s is not imported: %s", m.resource, m.o.Name, why)
			continue
		}
		imports = append(imports, map[string]any{"to": "dbplatform_" + m.resource + "." + m.label, "id": m.importID})
		names = append(names, "dbplatform_"+m.resource)
	}
	if len(data) == 0 {
		r.say("  - Nothing can be read.")
		return nil
	}
	kinds := slices.Sorted(maps.Keys(data))
	r.step(ctx, "looked up "+strings.Join(kinds, ", "), func() error {
		if err := t.write("data", map[string]any{"data": data}); err != nil {
			return err
		}
		return t.run(ctx, "data", "plan", "-detailed-exitcode")
	})
	if len(imports) == 0 {
		return ctx.Err()
	}
	slices.Sort(names)
	imported := r.step(ctx, "imported "+strings.Join(slices.Compact(names), ", ")+" with generated configuration", func() error {
		if err := t.write("import", map[string]any{"import": imports}); err != nil {
			return err
		}
		if err := t.run(ctx, "import", "plan", "-generate-config-out=generated.tf", "-out=plan"); err != nil {
			return err
		}
		return t.run(ctx, "import", "apply", "plan")
	})
	if imported {
		r.step(ctx, "the plan after that is empty", func() error {
			return t.run(ctx, "import", "plan", "-detailed-exitcode")
		})
	}
	return ctx.Err()
}

// step reports the outcome of a step, unless the run is interrupted.
func (r *run) step(ctx context.Context, name string, do func() error) bool {
	if ctx.Err() != nil {
		return false
	}
	err := do()
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		r.fail("%s: %v", name, err)
		return false
	}
	r.pass("%s", name)
	return true
}

// testWrites sets each attribute of each object to another value, and back.
func (r *run) testWrites(ctx context.Context, t *terraform) error {
	r.say("Writing, with %s: each attribute is set, read back, planned again and set back", t.version)
	for _, m := range r.managed() {
		skipped := map[string][]string{} // attributes that are not changed, by the reason
		for _, a := range attributes {
			if a.resource != m.resource || !r.isChosen(a) {
				continue
			}
			value, why := a.change(m.o)
			if refused := m.o.refused[m.resource] + m.o.refused[a.name]; refused != "" {
				why = refused
			}
			if why != "" {
				skipped[why] = append(skipped[why], snake(a.name))
				continue
			}
			done := r.step(ctx, m.o.Name+": "+snake(a.name), func() error { return r.setAndSetBack(ctx, t, m, a, value) })
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if done {
				continue
			}
			if err := r.restore(ctx, m.o); err != nil {
				return err
			}
		}
		for _, why := range slices.Sorted(maps.Keys(skipped)) {
			r.say("  - %s, not changed: %s. Reason: %s", m.o.Name, strings.Join(skipped[why], ", "), why)
		}
	}
	return nil
}

func (r *run) setAndSetBack(ctx context.Context, t *terraform, m managed, a attribute, value any) error {
	state := m.resource + "-" + m.label
	apply := func(value any) error {
		block := maps.Clone(m.ids)
		block[snake(a.name)] = configured(a, value)
		if err := t.write(state, map[string]any{"resource": map[string]any{"dbplatform_" + m.resource: map[string]any{m.label: block}}}); err != nil {
			return err
		}
		return t.run(ctx, state, "apply", "-auto-approve")
	}
	if err := apply(value); err != nil {
		return err
	}
	shown, err := r.client.await(ctx, m.o, func(shown map[string]any) bool { return sameContent(a.now(shown), value) })
	if err != nil {
		return err
	}
	if !sameContent(a.now(shown), value) {
		return fmt.Errorf("was set to %s, but the API shows %s", content(value), content(a.now(shown)))
	}
	if err := t.run(ctx, state, "plan", "-detailed-exitcode"); err != nil {
		return err
	}
	if err := apply(a.now(m.o.shown)); err != nil {
		return err
	}
	shown, err = r.client.await(ctx, m.o, func(shown map[string]any) bool { return len(m.o.differences(shown)) == 0 })
	if err != nil {
		return err
	}
	if remaining := m.o.differences(shown); len(remaining) > 0 {
		return fmt.Errorf("was set back, but %s", strings.Join(remaining, ", "))
	}
	r.record.forget(m.o.Path)
	return nil
}
