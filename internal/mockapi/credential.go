package mockapi

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// A credential is an id and a secret that belong to a seeded key.
type credential struct{ id, secret, keyID string }

// credentials are those that the server accepts, while their keys are enabled and have not
// expired.
var credentials = []credential{
	{KeyID, KeySecret, OwnAPIKeyID},
	// Another administrator, such as one who ends a lockout.
	{"mock-key-m9Lw", "mock-secret-m9Lw", NextAPIKeyID},
	// A key whose roles only allow it to read.
	{"mock-key-p2Zd", "mock-secret-p2Zd", OtherAPIKeyID},
}

// authenticate finds the credential of a request.
func authenticate(r *http.Request) (credential, *problem) {
	id, secret, _ := r.BasicAuth()
	for _, c := range credentials {
		if subtle.ConstantTimeCompare([]byte(id), []byte(c.id))&subtle.ConstantTimeCompare([]byte(secret), []byte(c.secret)) == 1 {
			return c, nil
		}
	}
	return credential{}, unauthorized("the key id or secret is missing or wrong")
}

func unauthorized(why string) *problem {
	refusal := refuse(http.StatusUnauthorized, "%s", why)
	refusal.header = http.Header{"Www-Authenticate": {`Basic realm="management API"`}}
	return refusal
}

// authorize refuses requests whose key is disabled, has expired or does not admit the client's
// address, and updates of one that may only read.
func (s *Server) authorize(c *call, credential credential) *problem {
	canUpdate := !s.variants.Has("read_only_key")
	if key, found := s.store.find(Key, credential.keyID); found {
		expiry, _ := key.document["expireAt"].(string)
		at, err := time.Parse(time.RFC3339, expiry)
		switch {
		case key.document["state"] == "disabled":
			return unauthorized("the key is disabled")
		case err == nil && at.Before(s.now()):
			return unauthorized("the key has expired")
		case !admits(list(key.document, "ipAccessList"), c.RemoteAddr):
			return refuse(http.StatusForbidden, "FORBIDDEN: the key may not be used from this address")
		}
		roles := list(key.document, "roles")
		canUpdate = canUpdate && (slices.Contains(roles, any("admin")) || slices.Contains(roles, any("developer")))
	}
	if !canUpdate && c.Method != http.MethodGet {
		return refuse(http.StatusForbidden, "FORBIDDEN: the key may read but not update")
	}
	return nil
}

// admits reports whether an access list admits a client, given as address:port. An empty list admits
// everyone, and a client in the same process has no address.
func admits(entries []any, client string) bool {
	from, err := netip.ParseAddrPort(client)
	if err != nil || len(entries) == 0 {
		return true
	}
	return slices.ContainsFunc(entries, func(entry any) bool {
		source := entry.(Object)["source"].(string)
		if address, err := netip.ParseAddr(source); err == nil {
			return address == from.Addr().Unmap()
		}
		network, err := netip.ParsePrefix(source)
		return err == nil && network.Contains(from.Addr().Unmap())
	})
}
