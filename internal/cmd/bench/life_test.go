package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadMeters(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1", `{"cpu":1000000000,"memory":7}`)
	write("2", `{"cpu":2000000000,"memory":5}`)
	if got, err := readMeters(folder); err != nil || got != (usage{3 * time.Second, 7}) {
		t.Errorf("read is %+v, %v", got, err)
	}
	if got, err := readMeters(folder); err != nil || got != (usage{}) {
		t.Errorf("read again is %+v, %v", got, err)
	}
	write("3", "")
	if got, err := readMeters(folder); err == nil {
		t.Errorf("read is %+v of a process that has not ended", got)
	}
}

func TestVault(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&vault{})
	t.Cleanup(server.Close)
	send := func(method, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	if status, _ := send(http.MethodGet, ""); status != 404 {
		t.Errorf("no state is answered with %d", status)
	}
	if status, _ := send(http.MethodPost, `{"serial":1}`); status != 200 {
		t.Errorf("a state is taken with %d", status)
	}
	if status, text := send(http.MethodGet, ""); status != 200 || text != `{"serial":1}` {
		t.Errorf("the state is %d %q", status, text)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("TF_LOG", "TRACE")
	t.Setenv("TF_DATA_DIR", "/elsewhere")
	t.Setenv("DBPLATFORM_KEY_SECRET", "a real one")
	t.Setenv("UNRELATED", "stays")

	got := environment(map[string]string{"TF_LOG": "WARN", "DBPLATFORM_KEY_ID": "bench"})
	got = slices.DeleteFunc(got, func(entry string) bool {
		return !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "DBPLATFORM_") && !strings.HasPrefix(entry, "UNRELATED")
	})
	if want := []string{"UNRELATED=stays", "DBPLATFORM_KEY_ID=bench", "TF_LOG=WARN"}; !slices.Equal(got, want) {
		t.Errorf("the CLI's environment has %q, not %q", got, want)
	}
}

func TestFindCLI(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, want := range map[string]string{"": "no terraform or tofu on PATH", "nope": "no nope on PATH"} {
		if found, err := findCLI(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %+v, %v", name, found, err)
		}
	}
}
