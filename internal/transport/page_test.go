package transport

import (
	"net/http"
	"testing"
)

func TestHasMore(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		link, body string
		want       bool
	}{
		{"", `{"result":[{"next":1}]}`, false},
		{`</backups?page=2>; rel="next"`, `{}`, true},
		{`</backups?page=1>; rel="first", </backups?page=2>; rel=next`, `{}`, true},
		{`</backups?page=2>; rel="last next"`, `{}`, true},
		{`</next>; rel="prev", </backups>; title="next"`, `{}`, false},
		{"", `{"nextCursor":"abc"}`, true},
		{"", `{"next_page":2}`, true},
		{"", `{"NextPageToken":"x"}`, true},
		{"", `{"hasMore":true}`, true},
		{"", `{"nextCursor":null,"nextPage":0,"hasMore":false,"nextPageToken":"","next":{},"meta":{"next":null}}`, false},
	} {
		if got := (Response{header: http.Header{"Link": {test.link}}, body: []byte(test.body)}).HasMore(); got != test.want {
			t.Errorf("%s %s: %t", test.link, test.body, got)
		}
	}
}
