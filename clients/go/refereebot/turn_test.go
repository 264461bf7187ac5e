package refereebot

import (
	"os"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	pb "github.com/domino-referee/domino-referee/clients/go/refereev1"
	"google.golang.org/protobuf/proto"
)

// equal checks that two values are the same.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

// TestPieceNames: the protocol says how every piece is written.
func TestPieceNames(t *testing.T) {
	text, err := os.ReadFile("../../../proto/referee/v1/table.proto")
	if err != nil {
		t.Skip("the protocol's files are not here: ", err)
	}
	found := regexp.MustCompile("// `(.+)`\\s+PIECE_\\w+ = (\\d+);").FindAllStringSubmatch(string(text), -1)
	equal(t, "pieces", len(found), 28+40+52)
	equal(t, "all known", len(names), len(found))
	for _, piece := range found {
		number, _ := strconv.Atoi(piece[2])
		equal(t, piece[2], PieceName(pb.Piece(number)), piece[1])
	}
	equal(t, "unknown", PieceName(999), "#999")
}

func TestActionOf(t *testing.T) {
	for _, want := range []Action{
		{"6-5 left", Play, "6-5", "left"},
		{"0-0", Play, "0-0", ""},
		{"10O", Play, "10O", ""},
		{"TD", Play, "TD", ""},
		{"draw", Draw, "", ""},
		{"pass", Pass, "", ""},
		{"swap 6-5", Other, "", ""},
		{"", Other, "", ""},
	} {
		equal(t, want.Notation, ActionOf(want.Notation), want)
		equal(t, "text", want.String(), want.Notation)
	}
}

func pairs() *MatchInfo {
	message := &pb.MatchStarted{MatchId: "m1", Game: "domino-duplas", Seat: proto.Uint32(3), Options: []*pb.Option{
		{Name: "opener", Value: &pb.Option_Number{Number: 0}},
		{Name: "spinner_opens", Value: &pb.Option_Text{Text: "at_once"}},
		{Name: "auto_forced", Value: &pb.Option_Flag{Flag: false}},
		{Name: "of a kind to come"},
	}}
	for seat := range uint32(4) {
		message.Seats = append(message.Seats, &pb.Seat{Seat: &seat, Name: "p", Side: proto.Uint32(seat % 2)})
	}
	return newMatch(message)
}

func TestMatchInfo(t *testing.T) {
	match := pairs()
	equal(t, "options", match.Options, map[string]any{"opener": int64(0), "spinner_opens": "at_once", "auto_forced": false})
	equal(t, "sides", match.Sides, []int{0, 1, 0, 1})
	equal(t, "names", match.Names, []string{"p", "p", "p", "p"})
	equal(t, "who", []any{match.ID, match.Game, match.Seat, match.Side}, []any{"m1", "domino-duplas", 3, 1})
}

func TestDominoTurn(t *testing.T) {
	turn := newTurn(&pb.Turn{
		TurnId: 9,
		Legal:  []*pb.Action{{Notation: "6-5 left"}, {Notation: "6-5 up"}, {}},
		Clock:  &pb.ClockState{MoveMs: proto.Uint32(0)},
		View: &pb.View{
			Seat: proto.Uint32(3), Hand: proto.Uint32(0), Dealer: proto.Uint32(2), Starter: proto.Uint32(3),
			Pieces: []pb.Piece{1, 27}, PieceCounts: []uint32{7, 6, 5, 2}, StockSize: proto.Uint32(0),
			Table: []pb.Piece{28}, HandPoints: []int32{5, 0}, Totals: []int32{-5, 10}, Drawn: 1,
			Layout: &pb.View_Line{Line: &pb.Line{
				LeftEnd: proto.Uint32(6), RightEnd: proto.Uint32(0), DownEnd: proto.Uint32(4), Spinner: 28,
			}},
			SeatsIn: []uint32{0, 1, 2, 3},
			History: &pb.History{ // the last of a kind, a piece and an arm to come
				Seats: []uint32{3, 0, 1, 2, 3}, Kinds: []pb.ActionKind{1, 2, 3, 1, 99},
				Pieces: []pb.Piece{28, 0, 0, 27, 999}, Arms: []pb.Arm{0, 0, 0, 3, 99},
			},
		},
	}, pairs())
	equal(t, "legal", turn.Legal, []Action{ActionOf("6-5 left"), ActionOf("6-5 up"), {Notation: "#2", Kind: Other}})
	equal(t, "hand", turn.Hand, []string{"0-0", "6-5"})
	equal(t, "ends", turn.Ends, map[string]int{"left": 6, "right": 0, "down": 4})
	equal(t, "rows", turn.Rows, map[string][2]string{})
	equal(t, "spinner", turn.Spinner, "6-6")
	equal(t, "drawn", turn.Drawn, "0-0")
	equal(t, "table", turn.Table, []string{"6-6"})
	equal(t, "counts", turn.Counts, []int{7, 6, 5, 2})
	equal(t, "seats in", turn.SeatsIn, []int{0, 1, 2, 3})
	equal(t, "points", turn.Points, []int{5, 0})
	equal(t, "totals", turn.Totals, []int{-5, 10})
	equal(t, "passes", turn.PassesUsed, []int{})
	equal(t, "history", turn.History, []Acted{
		{3, ActionOf("6-6")}, {0, ActionOf("draw")}, {1, ActionOf("pass")}, {2, ActionOf("6-5 up")}, {3, ActionOf("#99")},
	})
	equal(t, "numbers", []int{turn.ID, turn.Seat, turn.Players, turn.HandNumber, turn.Dealer, turn.Starter, turn.Stock},
		[]int{9, 3, 4, 0, 2, 3, 0})
	equal(t, "time", []any{*turn.Clock.MoveMs, turn.Clock.BankMs == nil}, []any{uint32(0), true})
}

func TestCardTurn(t *testing.T) {
	turn := newTurn(&pb.Turn{View: &pb.View{PassesUsed: []uint32{1, 0, 3}, Layout: &pb.View_Rows{
		Rows: &pb.Rows{Low: []pb.Piece{34, 0, 55, 999}, High: []pb.Piece{37, 0, 55, 999}},
	}}}, pairs())
	equal(t, "rows", turn.Rows, map[string][2]string{"O": {"4O", "7O"}, "E": {"5E", "5E"}})
	equal(t, "passes", turn.PassesUsed, []int{1, 0, 3})
	equal(t, "nothing", []any{len(turn.Ends), turn.Spinner, turn.Drawn, turn.Refusal == nil}, []any{0, "", "", true})
}
