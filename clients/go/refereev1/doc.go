// Package refereev1 is the referee's protocol in Go: generated from the files of proto/referee/v1, which say what each
// message and field means. Most bots need only what package refereebot makes of it.
package refereev1
