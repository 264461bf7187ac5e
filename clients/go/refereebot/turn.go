package refereebot

import (
	"fmt"
	"strings"

	pb "github.com/domino-referee/domino-referee/clients/go/refereev1"
)

// A Kind says what sort of action an [Action] is.
type Kind string

// The kinds of action. Other is one that this version of the SDK does not know; it can be chosen like any.
const (
	Play  Kind = "play"
	Draw  Kind = "draw"
	Pass  Kind = "pass"
	Other Kind = "other"
)

// An Action is what a seat does in one turn. Two actions can be compared with ==.
type Action struct {
	Notation string // The action in text: "6-5 left", "6-6", "7O", "draw" or "pass".
	Kind     Kind   // What sort of action it is.
	Piece    string // The piece played, such as "6-5" or "7O"; "" if none is.
	Arm      string // Where the tile goes: "left", "right", "up" or "down"; "" for the first tile and for cards.
}

// ActionOf gives the action that is written so.
func ActionOf(notation string) Action {
	piece, arm, _ := strings.Cut(notation, " ")
	switch {
	case pieces[piece]:
		return Action{notation, Play, piece, arm}
	case notation == "draw" || notation == "pass":
		return Action{Notation: notation, Kind: Kind(notation)}
	}
	return Action{Notation: notation, Kind: Other}
}

// String gives the notation.
func (a Action) String() string { return a.Notation }

// PieceName gives the notation of a piece in a protocol message: 27 is "6-5", 37 is "7O".
func PieceName(piece pb.Piece) string {
	if name := names[piece]; name != "" {
		return name
	}
	return fmt.Sprintf("#%d", piece)
}

// A MatchInfo is what holds for the whole match.
type MatchInfo struct {
	ID      string           // The match's id.
	Game    string           // The game's id, such as "domino-belga".
	Options map[string]any   // All options of the game with the values in force: an int64, a string or a bool.
	Format  *pb.Format       // When the match ends and who is placed where.
	Names   []string         // The players' names, by seat.
	Sides   []int            // The side each seat plays for: the pair's in "domino-duplas", else the seat's own.
	Seat    int              // This bot's seat, from 0.
	Side    int              // This bot's side. Turn.Points and Turn.Totals are by side.
	Message *pb.MatchStarted // The protocol's message, for what is not here.
}

// A Turn is a question of the referee: all that a bot needs to choose by, so it need remember nothing. Lists by seat
// begin with seat 0, lists by side with side 0. What a game does not have is empty.
type Turn struct {
	ID         int                  // The number of the question, from 1; the same if it is asked again.
	Match      *MatchInfo           // What holds for the whole match.
	Legal      []Action             // All legal actions, at least one. The bot chooses one of them.
	Hand       []string             // The bot's own pieces, in deck order.
	Game       string               // The game's id, such as "domino-belga".
	Seat       int                  // The bot's own seat, from 0.
	Players    int                  // How many seats the match has.
	SeatsIn    []int                // The seats that play this hand, in turn order; who is out of the match is missing.
	HandNumber int                  // The number of the hand in the match, from 0.
	Dealer     int                  // The seat that dealt this hand.
	Starter    int                  // The seat that had the first turn of this hand.
	Counts     []int                // How many pieces each seat holds.
	Stock      int                  // How many pieces are left to draw.
	Table      []string             // All pieces on the table: those laid by the deal, then the others as they came.
	Ends       map[string]int       // Dominoes: the number to match at each open arm: "left", "right", "up", "down".
	Spinner    string               // Dominoes: the first double played, where the game has such a thing.
	Rows       map[string][2]string // Cards: the lowest and the highest card of each open row, by the letter of its suit.
	PassesUsed []int                // "domino-a-carte": how many passes each seat has used in this hand.
	Points     []int                // "domino-belga": the points scored in this hand so far, by side.
	Totals     []int                // What the match format counts so far, by side: hands won, or points.
	History    []Acted              // The actions of this hand so far.
	Drawn      string               // The piece that the bot has just drawn, if that was the last action.
	Clock      *pb.ClockState       // The time left when the referee asked; what is not timed is nil in it.
	Refusal    *pb.Refusal          // Why the last answer to this turn was refused; nil if none was.
	View       *pb.View             // The protocol's message, for what is not here.
}

// An Acted is an action in the history of a hand.
type Acted struct {
	Seat   int    // The seat that took it.
	Action Action // What it did.
}

func newMatch(message *pb.MatchStarted) *MatchInfo {
	match := &MatchInfo{
		ID: message.GetMatchId(), Game: message.GetGame(), Options: map[string]any{}, Format: message.GetFormat(),
		Seat: int(message.GetSeat()), Side: int(message.GetSeat()), Message: message,
	}
	for _, option := range message.GetOptions() {
		switch value := option.GetValue().(type) {
		case *pb.Option_Number:
			match.Options[option.GetName()] = value.Number
		case *pb.Option_Text:
			match.Options[option.GetName()] = value.Text
		case *pb.Option_Flag:
			match.Options[option.GetName()] = value.Flag
		}
	}
	for _, seat := range message.GetSeats() {
		match.Names = append(match.Names, seat.GetName())
		match.Sides = append(match.Sides, int(seat.GetSide()))
	}
	if match.Seat < len(match.Sides) {
		match.Side = match.Sides[match.Seat]
	}
	return match
}

func newTurn(message *pb.Turn, match *MatchInfo) *Turn {
	view := message.GetView()
	turn := &Turn{
		ID: int(message.GetTurnId()), Match: match, Game: match.Game, Hand: pieceNames(view.GetPieces()),
		Seat: int(view.GetSeat()), Players: len(view.GetPieceCounts()), SeatsIn: ints(view.GetSeatsIn()),
		HandNumber: int(view.GetHand()), Dealer: int(view.GetDealer()), Starter: int(view.GetStarter()),
		Counts: ints(view.GetPieceCounts()), Stock: int(view.GetStockSize()), Table: pieceNames(view.GetTable()),
		Spinner: names[view.GetLine().GetSpinner()], PassesUsed: ints(view.GetPassesUsed()),
		Points: ints(view.GetHandPoints()), Totals: ints(view.GetTotals()), Drawn: names[view.GetDrawn()],
		Clock: message.GetClock(), View: view, Ends: map[string]int{}, Rows: map[string][2]string{},
	}
	for place, action := range message.GetLegal() {
		notation := action.GetNotation()
		if notation == "" { // still another action than the others
			notation = fmt.Sprintf("#%d", place)
		}
		turn.Legal = append(turn.Legal, ActionOf(notation))
	}
	if line := view.GetLine(); line != nil {
		for i, end := range []*uint32{line.LeftEnd, line.RightEnd, line.UpEnd, line.DownEnd} {
			if end != nil {
				turn.Ends[arms[pb.Arm(i+1)]] = int(*end)
			}
		}
	}
	rows := view.GetRows()
	for i := range min(len(rows.GetLow()), len(rows.GetHigh())) {
		if low, high := names[rows.Low[i]], names[rows.High[i]]; low != "" && high != "" {
			turn.Rows[low[len(low)-1:]] = [2]string{low, high}
		}
	}
	past := view.GetHistory()
	for i := range min(len(past.GetSeats()), len(past.GetKinds()), len(past.GetPieces()), len(past.GetArms())) {
		action := taken(past.Kinds[i], past.Pieces[i], past.Arms[i])
		turn.History = append(turn.History, Acted{int(past.Seats[i]), action})
	}
	return turn
}

func taken(kind pb.ActionKind, piece pb.Piece, arm pb.Arm) Action {
	switch kind {
	case pb.ActionKind_ACTION_KIND_PLAY:
		return Action{strings.TrimSpace(PieceName(piece) + " " + arms[arm]), Play, PieceName(piece), arms[arm]}
	case pb.ActionKind_ACTION_KIND_DRAW:
		return ActionOf("draw")
	case pb.ActionKind_ACTION_KIND_PASS:
		return ActionOf("pass")
	}
	return ActionOf(fmt.Sprintf("#%d", kind))
}

func pieceNames(list []pb.Piece) []string {
	result := make([]string, len(list))
	for i, piece := range list {
		result[i] = PieceName(piece)
	}
	return result
}

func ints[T int32 | uint32](list []T) []int {
	result := make([]int, len(list))
	for i, number := range list {
		result[i] = int(number)
	}
	return result
}

var (
	arms   = map[pb.Arm]string{1: "left", 2: "right", 3: "up", 4: "down"}
	names  = map[pb.Piece]string{}
	pieces = map[string]bool{} // the names
)

func init() {
	for number, name := range pb.Piece_name {
		words := strings.Split(name, "_") // PIECE_TILE_6_5, PIECE_SPANISH_OROS_10, PIECE_FRENCH_SPADES_KING
		if len(words) != 4 {
			continue
		}
		rank, suit := words[3], words[2][:1]
		if words[1] == "TILE" {
			rank, suit = words[2], "-"+words[3]
		} else if rank > "9" {
			rank = rank[:1]
		}
		names[pb.Piece(number)] = rank + suit
		pieces[rank+suit] = true
	}
}
