package adopt

import "testing"

func TestParsePath(t *testing.T) {
	t.Parallel()
	const (
		service = "11111111-1111-4111-8111-111111111111"
		pipe    = "22222222-2222-4222-8222-111111111111"
	)
	services, keys := Metadata{Path: "services/{service_id}"}, Metadata{Path: "keys/{key_id}"}
	scaling := Metadata{Path: "services/{service_id}/pipes/{pipe_id}", Operation: "scaling"}
	path := "/services/" + service + "/pipes/" + pipe
	for _, test := range []struct {
		metadata           Metadata
		path, organization string
		fits               bool
	}{
		{scaling, path, "", true},
		{scaling, path + "/", "", true},
		{scaling, path + "/scaling", "", true},
		{scaling, path + "/scaling/?x=/y#z", "", true},
		{scaling, "/v1/organizations/o" + path + "/scaling", "o", true},
		{scaling, "https://api.example.com/prefix/v1/organizations/o" + path, "o", true},
		{scaling, path[1:], "", true},
		{scaling, path + "/settings", "", false},
		{scaling, path + "/scaling/scaling", "", false},
		{scaling, "/services/" + service, "", false},
		{scaling, "/services/" + service + "/pipes/orders", "", false},
		{scaling, "/services/" + service + "/tables/" + pipe, "", false},
		{scaling, "", "", false},
		{scaling, "/scaling", "", false},
		{services, "/services/" + service, "", true},
		{services, path, "", false},
		{services, "/" + service, "", false},
		{keys, "/keys/" + service, "", true},
	} {
		found, ok := test.metadata.parsePath(test.path)
		if ok != test.fits || found.organization != test.organization {
			t.Errorf("%s in %q: %v, organization %q", test.metadata.Path, test.path, ok, found.organization)
		}
		if ok && test.metadata.Operation != "" && (found.ids["service_id"] != service || found.ids["pipe_id"] != pipe) {
			t.Errorf("%q has the ids %v", test.path, found.ids)
		}
	}
}

func TestFindPath(t *testing.T) {
	t.Parallel()
	const id = "11111111-1111-4111-8111-111111111111"
	services := Metadata{Path: "services/{service_id}"}
	for name, source := range map[string]map[string]any{
		"id alone":                    {"id": "/services/" + id},
		"path and id":                 {"path": "/services?x=y", "id": id},
		"id within the path":          {"path": "/services/{id}?x=y", "id": id},
		"object_id":                   {"path": "/services", "id": "orders", "object_id": id},
		"id in the data":              {"path": "/services", "id": nil, "api_data": map[string]any{"id": id}},
		"read_path":                   {"path": "/", "id": "orders", "read_path": "/services/" + id},
		"members of unexpected types": {"id": 1, "read_path": []any{}, "api_data": "no map", "path": "/services/" + id},
	} {
		if found, ok := services.findPath(source); !ok || found.ids["service_id"] != id {
			t.Errorf("%s: %v", name, found)
		}
	}
	if found, ok := services.findPath(map[string]any{"path": "/services", "id": "orders"}); ok {
		t.Errorf("found %v", found)
	}
}
