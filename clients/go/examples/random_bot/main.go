// A random bot whose choices can be repeated, in any language.
//
// The place chosen is the first 8 bytes (big-endian) of SHA-256 of "MATCH_ID/TURN_ID", modulo the number of legal
// actions.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/domino-referee/domino-referee/clients/go/refereebot"
)

// choose gives an action by chance: the same in the same turn of the same match.
func choose(turn *refereebot.Turn) refereebot.Action {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s/%d", turn.Match.ID, turn.ID))
	return turn.Legal[binary.BigEndian.Uint64(digest[:8])%uint64(len(turn.Legal))]
}

func main() {
	if err := refereebot.Run(choose); err != nil {
		log.Fatal(err)
	}
}
