package mockapi

// The former names, until their last users are renamed.

type Readings = Variants

type NamedReading struct {
	Name, Doc string
	Readings  Variants
}

func AllReadings() []NamedReading {
	var all []NamedReading
	for _, v := range AllVariants() {
		if !v.MayFail {
			all = append(all, NamedReading{v.Name, v.Doc, v.Variants})
		}
	}
	return all
}

var (
	ParseReading = ParseVariants
	WithReadings = WithVariants
)

func (s *Server) SetReadings(v Variants) { s.SetVariants(v) }
