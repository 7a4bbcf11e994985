package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

var uuidPattern = regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)

// remedy says what to do about an error of the client, "" if nothing is known.
// While Terraform plans, nothing has been sent that could be applied again.
func remedy(failure error, planning bool) string {
	err, ok := errors.AsType[*transport.Error](failure)
	if !ok {
		return ""
	}
	again := " Then apply again; completed changes are not repeated."
	if planning {
		again = ""
	}
	switch err.Status {
	case http.StatusUnauthorized:
		return "Check key_id and key_secret, or " + envKeyID + " and " + envKeySecret +
			": the key must exist, be enabled, not have expired, and belong to the organization."
	case http.StatusForbidden:
		return "The key lacks permission. Check its roles and the addresses from which it may be used."
	case http.StatusNotFound, http.StatusGone:
		if err.NotFromAPI {
			return "A gateway, a proxy or another server sent this response. Check that base_url or " + envBaseURL +
				" is the API's address without /v1, and that nothing between Terraform and the API intercepts its requests."
		}
		switch {
		case err.NoSuchPath:
			return "Check that base_url or " + envBaseURL + " is the API's address without /v1: the server knows no such path. " +
				"If it is right, check organization_id or " + envOrganizationID + "."
		case strings.Contains(strings.ToLower(err.Message), "organization"):
			return "Check organization_id or " + envOrganizationID + "."
		case uuidPattern.MatchString(err.Message):
			return "Check the ids."
		}
		return "Check the ids, that organization_id or " + envOrganizationID + " is the organization they belong to, " +
			"and that base_url or " + envBaseURL + " is the API's address without /v1."
	case http.StatusFailedDependency:
		if planning {
			return "The service is probably idle. Wake it, for example by connecting to it, and run Terraform again."
		}
		return "The service is probably idle. Wake it, for example by connecting to it." + again
	case http.StatusTooManyRequests:
		return "The API's rate limit is exhausted. Set requests_per_second in the provider block to stay below it."
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadRequest:
		if planning {
			return ""
		}
		return "Correct the cause." + again
	}
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return "Check that base_url or " + envBaseURL + " is the right host. If it is, add the authority that signed its certificate, " +
			"or your proxy's, to the certificates that this machine trusts."
	case errors.Is(err, context.Canceled):
		return "The run was interrupted before the API responded." + again
	case errors.Is(err, context.DeadlineExceeded):
		return "Check that the API is up. If it is slow, raise request_timeout or " + envRequestTimeout + "." + again
	}
	if err.Status == 0 || err.Status >= http.StatusInternalServerError {
		return "Check base_url or " + envBaseURL + ", and that the API is up." + again
	}
	return ""
}
