package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// A whole run: data sources, imports and changes by a real CLI.
func TestRun(t *testing.T) {
	t.Parallel()
	const service, key = "✓ service " + mockapi.ServiceID, "✓ API key " + mockapi.APIKeyID
	reads := []string{"✓ the plan after that is empty", "PATCH with {}, and no other", "✓ Everything that was tested works."}
	for canWrite, wants := range map[string][]string{"": nil, "1": {
		service + ": release_channel\n", service + ": ip_access_list\n", "✓ pipe " + mockapi.KafkaPipeID + ": replicas\n",
		"✓ pipe " + mockapi.ObjectStoragePipeID + ": object_storage_concurrency\n", key + ": expire_at\n", key + " is as it was before\n",
	}} {
		t.Run("writes="+canWrite, func(t *testing.T) {
			t.Parallel()
			mock := mockapi.New(mockapi.WithVariants(mockapi.Variants{EchoWriteOnly: true}))
			before := objects(mock)
			process, out := program(t, serve(t, mock), t.TempDir(), env{
				"DBPLATFORM_TEST_WRITES": canWrite, "DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID + ", " + mockapi.ObjectStoragePipeID,
			}, "-attributes", "release_channel,ip_access_list,replicas,object_storage_concurrency,expire_at")
			if err := process.Run(); err != nil {
				t.Error(err)
			}
			contains(t, out.String(), append(wants, reads...)...)
			expectRestored(t, mock, before, out.String())
			expectFlags(t, out.String(), []string{"variant echo_write_only"})
		})
	}
}

// A process that is interrupted while Terraform changes a pipe restores it, also if
// nobody reads its output any more. One that is killed leaves a journal, from which
// the next run restores it. No other attribute than the chosen one is ever changed.
func TestStoppedProcessRestores(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted")
	}
	for name, signal := range map[string]os.Signal{"interrupted": os.Interrupt, "unread": nil, "killed": os.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What was killed has no time to see its last change.
			var variants mockapi.Variants
			if signal == os.Kill {
				variants.StalePipes = time.Second
			}
			mock := mockapi.New(mockapi.WithVariants(variants))
			before := objects(mock)
			due, sent := make(chan struct{}), make(chan struct{})
			// The first two changes of the scaling are an experiment and its end.
			baseURL, _ := atChange(t, mock, "/scaling", 3, func() {
				close(due)
				<-sent
			})
			dir, more := t.TempDir(), writes(env{"DBPLATFORM_TEST_PIPE_ID": mockapi.KafkaPipeID})
			process, out := program(t, baseURL, dir, more, "-attributes", "replicas")
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			if signal == nil {
				process.Stdout = writer
			}
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			go func(running *os.Process) {
				<-due
				_ = reader.Close()
				if signal != nil {
					_ = running.Signal(signal)
				}
				close(sent)
			}(process.Process)
			if err := process.Wait(); err == nil && signal != nil {
				t.Errorf("the process succeeded:\n%s", out)
			}
			_ = writer.Close()
			if signal == os.Kill {
				if cmp.Equal(before, objects(mock)) {
					t.Fatalf("nothing to restore:\n%s", out)
				}
				more["DBPLATFORM_TEST_PIPE_ID"] = ""
				process, out = program(t, baseURL, dir, more, "-attributes", "none", "-patience", "2s")
				if err := process.Run(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
			expectRestored(t, mock, before, out.String())
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("the journal is left:\n%s", out)
			}
			for _, body := range append(mock.Sent("updateService"), mock.Sent("updateKey")...) {
				if body != "{}" {
					t.Errorf("sent %s", body)
				}
			}
			if settings := mock.Sent("updatePipeSettings"); len(settings) > 0 {
				t.Errorf("sent %s", settings)
			}
		})
	}
}
