// Package refereev1 is what bots need of the referee's protocol in Go: generated from fault.proto, play.proto and
// table.proto in proto/referee/v1, which say what each message and field means. Most bots need only what package
// refereebot makes of it.
package refereev1
