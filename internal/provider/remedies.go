package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/transport"
)

// remedy says what to do about an error of the client, "" if nothing is known,
// and whether the error has nothing to do with a single object. While Terraform
// plans, nothing has been sent that could be applied again.
func remedy(err *transport.Error, planning bool) (text string, isCommon bool) {
	again := " Then apply again; completed changes are not repeated."
	if planning {
		again = ""
	}
	switch err.Status {
	case http.StatusUnauthorized:
		return "Check key_id and key_secret, and that the key is enabled and not expired.", !err.OutcomeUnknown
	case http.StatusForbidden:
		return "The key lacks permission. Check its roles and the addresses from which it may be used.", false
	case http.StatusNotFound, http.StatusGone:
		switch {
		case err.NotFromAPI:
			return "Check base_url (the API's address, without /v1), and any proxy in between.", !err.OutcomeUnknown
		case err.NoSuchPath:
			return "The server does not have this path. Check that base_url or " + envBaseURL + " is the API's address without /v1. " +
				"If it is, check organization_id or " + envOrganizationID + ".", false
		}
		return "", false // which ids to check depends on the object
	case http.StatusFailedDependency:
		if planning {
			again = " Then run Terraform again."
		}
		return "The service is probably idle. Wake it, for example by connecting to it." + again, false
	case http.StatusTooManyRequests:
		return "Set requests_per_second to stay below the API's rate limit.", !err.OutcomeUnknown
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadRequest:
		switch {
		case planning:
			return "", false
		case err.Status == http.StatusConflict:
			return "If another change is in progress, wait for it; otherwise correct the cause." + again, false
		}
		return "Correct the cause." + again, false
	}
	return remedyOutage(err, planning, again)
}

// remedyOutage is about requests that the API has not responded to, or with a
// failure of its own, or with something that is not a response of the API.
func remedyOutage(err *transport.Error, planning bool, again string) (text string, isCommon bool) {
	var untrusted *tls.CertificateVerificationError
	if isCommon = !err.OutcomeUnknown; isCommon && !planning {
		again = " Then apply again." // on the same line
	}
	connection, _ := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, api.ErrOverdue):
		return "Raise update_timeout if the API needs longer." + again, false
	case errors.As(err, &untrusted):
		return "Check base_url, or make this machine trust the CA of the API or your proxy (on Linux, set SSL_CERT_FILE to its file).", isCommon
	case errors.Is(err, context.Canceled) && planning:
		return "The run was interrupted.", false
	case errors.Is(err, context.Canceled):
		return "The run was interrupted. Apply again; completed changes are not repeated.", false
	case connection != nil && connection.Op == "proxyconnect":
		return "Check HTTPS_PROXY and NO_PROXY, and that the proxy is up." + again, isCommon
	case errors.Is(err, context.DeadlineExceeded):
		return "Check that the API is up, or raise request_timeout." + again, isCommon
	case err.Status >= 520 && err.Status <= 524:
		return "A proxy in front of the API reports that the API failed. Check that the API is up." + again, isCommon
	case err.Status == 0 || err.Status >= http.StatusInternalServerError:
		return "Check base_url, and that the API is up." + again, isCommon
	case err.Status < http.StatusBadRequest:
		return "Check base_url, and any proxy on the way to the API." + again, isCommon
	}
	return "", false
}
