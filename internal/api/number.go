package api

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

var (
	errNotNumber  = errors.New("not a number")
	errNotWhole   = errors.New("not a whole number")
	errOutOfRange = errors.New("outside the range of 64-bit integers")
)

// parseInteger reads every notation JSON has for a whole number (5, 5.0, 5e0,
// 50e-1) over all of int64. It works on the digits: float64 is exact only to
// 2^53, and big.Rat would write out the zeros of 1e999999999.
func parseInteger(s string) (int64, error) {
	mantissa, exponent, err := splitExponent(s)
	if err != nil {
		return 0, err
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, dotted := strings.Cut(unsigned, ".")
	if whole == "" || (dotted && fraction == "") || !isDigits(whole) || !isDigits(fraction) {
		return 0, errNotNumber
	}
	exponent -= int64(len(fraction))

	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, nil
	}
	significant := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant))
	switch {
	case exponent < 0:
		return 0, errNotWhole
	case int64(len(significant))+exponent > 19: // int64 has at most 19 digits
		return 0, errOutOfRange
	}
	if negative {
		significant = "-" + significant
	}
	n, err := strconv.ParseInt(significant+strings.Repeat("0", int(exponent)), 10, 64)
	if err != nil {
		return 0, errOutOfRange
	}
	return n, nil
}

// splitExponent separates 12e-1 into 12 and -1. An exponent past 32 bits is
// held at the bound: whatever precedes it, the number is zero, no whole number
// or out of range either way.
func splitExponent(s string) (mantissa string, exponent int64, err error) {
	at := strings.IndexAny(s, "eE")
	if at < 0 {
		return s, 0, nil
	}
	digits := strings.TrimLeft(s[at+1:], "+-")
	if digits == "" || !isDigits(digits) || len(s)-at-1-len(digits) > 1 {
		return "", 0, errNotNumber
	}
	exponent, err = strconv.ParseInt(s[at+1:], 10, 32)
	if errors.Is(err, strconv.ErrRange) {
		exponent = math.MaxInt32
		if s[at+1] == '-' {
			exponent = math.MinInt32
		}
	}
	return s[:at], exponent, nil
}

func isDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
