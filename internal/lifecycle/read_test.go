package lifecycle

import "testing"

func TestUnknownOrganization(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"Organization 0001 not found":                                                  true,
		"The organisation 0001 does not exist":                                         true,
		"Not Found: no such organization":                                              true,
		"The requested organization was not found":                                     true,
		"Organization id=0001 not found":                                               true,
		"organization with ID 00000000-0000-4000-8000-00000000000b could not be found": true,
		"Organization: not found":                                                      true,
		"Organization 'acme' does not exist":                                           true,
		"Organization unit 7 not found":                                                false,
		"pipe not found in organization 0001":                                          false,
		"Organization 0001: pipe not found":                                            false,
		"Organization 0001 has no pipe 22":                                             false,
		"NOT_FOUND: pipe 22 of service 11 unknown":                                     false,
	} {
		if unknownOrganization.MatchString(message) != want {
			t.Errorf("%s: not %t", message, want)
		}
	}
}
