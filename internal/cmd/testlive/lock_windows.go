package main

import "os"

// lock does nothing: on Windows, another run goes unnoticed.
func lock(*os.File) error { return nil }
