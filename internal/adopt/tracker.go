package adopt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// A tracker remembers what one run of Terraform has done with its objects.
// Terraform starts a process of the provider for each provider block, so the
// notes are files in a folder that is named after their common parent process.
// If the folder cannot be used, every note is empty.
type tracker struct {
	folder string
	writer string // who writes: this process, for one configuration of the provider
}

// A note is what is known of one object.
type note struct {
	Writer   string `json:"writer"`
	Claims   int    `json:"claims"`   // plans of creations
	Adopted  bool   `json:"adopted"`  // a creation succeeded
	Failed   bool   `json:"failed"`   // a creation failed
	Released bool   `json:"released"` // a destroy changed the object, for instance disabled a key
	Changed  bool   `json:"changed"`  // it is known that this made a difference
}

// run is the part of this process in the run.
var run struct {
	begin  sync.Once
	folder string
	// alive is shared by all processes of the run, so that the last one knows
	// that it is the last.
	alive *flock.Flock
	noted atomic.Bool // another process may have to know what this one did
}

// linger is how long a process that has something to say waits for others to
// join before it ends the run. Terraform starts all processes at once, but kills
// the first as soon as its resources are done, and waits two seconds for its end.
const linger = time.Second

// BeginRun joins the run, or begins it: whatever a killed run has left is
// removed. It is called as soon as the provider is configured, because another
// process may end first.
func BeginRun() {
	run.begin.Do(func() {
		run.folder = filepath.Join(os.TempDir(), fmt.Sprintf("terraform-provider-dbplatform-%d", os.Getppid()))
		_ = os.Mkdir(run.folder, 0o700)
		if info, err := os.Lstat(run.folder); err != nil || !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			return // not ours
		}
		run.alive = flock.New(filepath.Join(run.folder, "alive"))
		if alone, _ := run.alive.TryLock(); alone {
			notes, _ := filepath.Glob(filepath.Join(run.folder, "*.json"))
			for _, name := range notes {
				_ = os.Remove(name)
			}
		}
		_ = run.alive.RLock()
	})
}

// EndRun leaves the run. The last process removes its notes.
func EndRun() {
	if run.alive == nil {
		return
	}
	if run.noted.Load() {
		<-time.After(linger)
	}
	_ = run.alive.Unlock()
	if alone, _ := run.alive.TryLock(); alone {
		_ = run.alive.Unlock()
		_ = os.RemoveAll(run.folder)
	}
}

func (d *ProviderData) tracker() tracker {
	BeginRun()
	return tracker{folder: run.folder, writer: fmt.Sprintf("%d/%p", os.Getpid(), d)}
}

// trackingKey identifies an object across the processes of a run.
func (r *Resource[M]) trackingKey(a Attributes) string {
	return strings.ToLower(strings.Join([]string{r.Origin.BaseURL, r.Origin.OrganizationID, r.metadata.TypeName, r.metadata.id(a)}, " "))
}

func (r *Resource[M]) hasVanished(a Attributes) bool {
	_, vanished := r.vanished.Load(r.trackingKey(a))
	return vanished
}

// open returns the note of an object and locks it until done is called, which
// saves it.
func (t tracker) open(ctx context.Context, key string) (n *note, done func()) {
	hash := sha256.Sum256([]byte(key))
	path := filepath.Join(t.folder, hex.EncodeToString(hash[:8])+".json")
	lock := flock.New(path + ".lock") // Windows does not let the holder of a lock write to the same file
	n = &note{}
	if locked, _ := lock.TryLockContext(ctx, 20*time.Millisecond); !locked {
		return n, func() {}
	}
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, n) != nil || t.isOutdated(n) {
		*n = note{}
	}
	return n, func() {
		n.Writer = t.writer
		if n.Adopted || n.Released {
			run.noted.Store(true)
		}
		if data, err := json.Marshal(n); err == nil {
			_ = os.WriteFile(path, data, 0o600)
		}
		_ = lock.Unlock()
	}
}

// isOutdated reports whether a note was written by this process for an earlier
// configuration, as happens under a debugger: each walk is a run of its own.
func (t tracker) isOutdated(n *note) bool {
	pid, _, _ := strings.Cut(t.writer, "/")
	return strings.HasPrefix(n.Writer, pid+"/") && n.Writer != t.writer
}

// claim counts the plans that create a resource for an object.
func (t tracker) claim(ctx context.Context, key string) int {
	n, done := t.open(ctx, key)
	defer done()
	n.Claims++
	return n.Claims
}
