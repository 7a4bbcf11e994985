package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"text/template"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/mockapi"
)

// seed is what a client needs to know about the server. Scripts rely on the
// names of its JSON members.
type seed struct {
	BaseURL             string `json:"base_url"`
	OrganizationID      string `json:"organization_id"`
	KeyID               string `json:"key_id"`
	KeySecret           string `json:"key_secret"`
	ServiceID           string `json:"service_id"`
	OtherServiceID      string `json:"other_service_id"`
	KafkaPipeID         string `json:"kafka_pipe_id"`
	ObjectStoragePipeID string `json:"object_storage_pipe_id"`
	KinesisPipeID       string `json:"kinesis_pipe_id"`
	PostgresPipeID      string `json:"postgres_pipe_id"`
	APIKeyID            string `json:"api_key_id"`
	OtherAPIKeyID       string `json:"other_api_key_id"`

	MorePipeIDs []string `json:"more_pipe_ids,omitempty"` // those that were asked for
}

func newSeed(baseURL string, morePipeIDs []string) seed {
	return seed{
		BaseURL:             baseURL,
		OrganizationID:      mockapi.OrganizationID,
		KeyID:               mockapi.KeyID,
		KeySecret:           mockapi.KeySecret,
		ServiceID:           mockapi.ServiceID,
		OtherServiceID:      mockapi.OtherServiceID,
		KafkaPipeID:         mockapi.KafkaPipeID,
		ObjectStoragePipeID: mockapi.ObjectStoragePipeID,
		KinesisPipeID:       mockapi.KinesisPipeID,
		PostgresPipeID:      mockapi.PostgresPipeID,
		APIKeyID:            mockapi.APIKeyID,
		OtherAPIKeyID:       mockapi.OtherAPIKeyID,
		MorePipeIDs:         morePipeIDs,
	}
}

//go:embed greeting.tmpl
var greetingSource string

var greeting = template.Must(template.New("greeting").Funcs(template.FuncMap{"next": func(i int) int { return i + 1 }}).Parse(greetingSource))

// print prints where the server is: for a person, or as one line of JSON.
func (s seed) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(s)
	}
	var text bytes.Buffer
	if err := greeting.Execute(&text, s); err != nil {
		return err
	}
	_, err := text.WriteTo(out) // at once, so that no log gets between
	return err
}
