// The smallest bot: always the first legal action.
package main

import (
	"log"

	"github.com/domino-referee/domino-referee/clients/go/refereebot"
)

func choose(turn *refereebot.Turn) refereebot.Action {
	return turn.Legal[0]
}

func main() {
	if err := refereebot.Run(choose); err != nil {
		log.Fatal(err)
	}
}
