package refereebot

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	pb "github.com/domino-referee/domino-referee/clients/go/refereev1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

type stream = grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]

// A script is what a referee does on each of its streams, one after the other. It hears Join first.
type script []func(stream) error

type referee struct {
	pb.UnimplementedPlayServiceServer
	streams chan func(stream) error
	t       *testing.T
}

func (r *referee) Play(s stream) error {
	request, err := s.Recv()
	if err != nil {
		return err
	}
	join := request.GetJoin()
	if join.GetToken() != "secret" || join.GetClient() != Client || join.GetVersion() != "7" {
		r.t.Errorf("the first message is %v", request)
	}
	return (<-r.streams)(s)
}

// play lets a bot play by a script.
func play(t *testing.T, ctx context.Context, choose func(*Turn) Action, streams script) error {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	left := make(chan func(stream) error, len(streams))
	for _, one := range streams {
		left <- one
	}
	pb.RegisterPlayServiceServer(server, &referee{streams: left, t: t})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	err = Bot{Choose: choose, Address: listener.Addr().String(), Token: "secret", Version: "7"}.Run(ctx)
	equal(t, "streams left", len(left), 0)
	return err
}

func short(t *testing.T) {
	t.Helper()
	all := []time.Duration{firstDelay, lastDelay, giveUp, alive}
	firstDelay, giveUp, alive = 5*time.Millisecond, 300*time.Millisecond, 100*time.Millisecond
	t.Cleanup(func() { firstDelay, lastDelay, giveUp, alive = all[0], all[1], all[2], all[3] })
}

func first(turn *Turn) Action { return turn.Legal[0] }

func never(*Turn) Action { panic("not to be asked") }

// The referee's side of a stream.

func say(s stream, events ...*pb.PlayEvent) { _ = s.Send(&pb.PlayResponse{Events: events}) }

func hear(t *testing.T, s stream) *pb.PlayRequest {
	t.Helper()
	request, err := s.Recv()
	if err != nil {
		t.Errorf("instead of a request: %v", err)
	}
	return request
}

func start(t *testing.T, s stream, id string) {
	t.Helper()
	say(s, &pb.PlayEvent{Event: &pb.PlayEvent_Joined{Joined: &pb.Joined{MatchId: id, Seat: proto.Uint32(0), Name: "me"}}},
		&pb.PlayEvent{Event: &pb.PlayEvent_MatchStarted{MatchStarted: &pb.MatchStarted{MatchId: id, Seat: proto.Uint32(0)}}})
	if request := hear(t, s); request.GetReady() == nil {
		t.Errorf("instead of Ready: %v", request)
	}
}

func turnOf(id uint32, legal ...string) *pb.PlayEvent {
	turn := &pb.Turn{TurnId: id, View: &pb.View{}}
	for _, notation := range legal {
		turn.Legal = append(turn.Legal, &pb.Action{Notation: notation})
	}
	return &pb.PlayEvent{Event: &pb.PlayEvent_Turn{Turn: turn}}
}

func refusal(id uint32, remedy pb.Remedy) *pb.PlayEvent {
	return &pb.PlayEvent{Event: &pb.PlayEvent_Refusal{Refusal: &pb.Refusal{TurnId: &id, Message: "no", Remedy: remedy}}}
}

func ended() *pb.PlayEvent {
	return &pb.PlayEvent{Event: &pb.PlayEvent_MatchEnded{MatchEnded: &pb.MatchEnded{}}}
}

func closed(reason pb.CloseReason, again bool) *pb.PlayEvent {
	return &pb.PlayEvent{Event: &pb.PlayEvent_Closed{Closed: &pb.Closed{Reason: reason, JoinAgain: again, Message: "why"}}}
}

func over(s stream) error {
	say(s, ended(), closed(pb.CloseReason_CLOSE_REASON_MATCH_OVER, false))
	return nil
}

func TestAnswers(t *testing.T) {
	choices := []Action{ActionOf("0-0 right"), {Notation: "6-6"}, ActionOf("#1"), ActionOf("pass"), ActionOf("draw")}
	var refused []bool
	choose := func(turn *Turn) Action {
		refused = append(refused, turn.Refusal != nil)
		action := choices[0]
		choices = choices[1:]
		return action
	}
	answers := func(s stream) error {
		start(t, s, "m")
		expect := func(id, index uint32) {
			t.Helper()
			answer := hear(t, s).GetAnswer()
			if choice, ok := answer.GetChoice().(*pb.Answer_Index); !ok || choice.Index != index || answer.TurnId != id {
				t.Errorf("instead of %d in turn %d: %v", index, id, answer)
			}
		}
		say(s, turnOf(1, "0-0 right", "0-0 left")) // place 0
		expect(1, 0)
		say(s, turnOf(2, "6-5", "")) // not in the list: as it stands
		if answer := hear(t, s).GetAnswer(); answer.GetTurnId() != 2 || answer.GetAction().GetNotation() != "6-6" {
			t.Errorf("instead of 6-6: %v", answer)
		}
		say(s, refusal(1, pb.Remedy_REMEDY_ASK_AGAIN), refusal(2, pb.Remedy_REMEDY_IGNORE), refusal(2, 99))
		say(s, refusal(2, pb.Remedy_REMEDY_ASK_AGAIN)) // the only one that asks again
		expect(2, 1)
		unknown := &pb.PlayEvent{} // an event, and a kind of action, to come
		unknown.ProtoReflect().SetUnknown(protowire.AppendTag(nil, 99, protowire.VarintType))
		unknown.ProtoReflect().SetUnknown(append(unknown.ProtoReflect().GetUnknown(), 1))
		say(s, unknown, turnOf(4, "swap 6-5", "pass"))
		expect(4, 1)
		say(s, turnOf(5, "", "", "draw"))
		expect(5, 2)
		return over(s)
	}
	equal(t, "error", play(t, t.Context(), choose, script{answers}), nil)
	equal(t, "asked again", refused, []bool{false, false, true, false, false})
}

func TestMatchAfterMatch(t *testing.T) {
	var ids []string
	match := func(id string, again bool) func(stream) error {
		return func(s stream) error {
			start(t, s, id)
			say(s, turnOf(1, "pass"))
			hear(t, s)
			say(s, ended(), closed(pb.CloseReason_CLOSE_REASON_MATCH_OVER, again))
			return nil
		}
	}
	choose := func(turn *Turn) Action {
		ids = append(ids, turn.Match.ID)
		return turn.Legal[0]
	}
	equal(t, "error", play(t, t.Context(), choose, script{match("a", true), match("b", true), match("c", false)}), nil)
	equal(t, "matches", ids, []string{"a", "b", "c"})
}

func TestBrokenStreams(t *testing.T) {
	broken := func(s stream) error {
		start(t, s, "m")
		say(s, turnOf(1, "pass"))
		hear(t, s)
		return status.Error(codes.Unavailable, "broken")
	}
	cut := func(stream) error { return nil } // without Closed
	finish := func(s stream) error {
		start(t, s, "m")
		return over(s)
	}
	equal(t, "error", play(t, t.Context(), first, script{broken, cut, broken, finish}), nil)
}

func TestRefused(t *testing.T) {
	for name, refuse := range map[string]func(stream) error{
		"why": func(s stream) error {
			say(s, closed(pb.CloseReason_CLOSE_REASON_REFUSED, false))
			return nil
		},
		"not so": func(stream) error { return status.Error(codes.Unimplemented, "not so") },
	} {
		err := play(t, t.Context(), never, script{refuse})
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLost(t *testing.T) {
	short(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	err = Bot{Choose: never, Address: address, Token: "x"}.Run(t.Context())
	if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
}

// TestWaiting: hearing nothing for long is no loss.
func TestWaiting(t *testing.T) {
	short(t)
	wait := func(stream) error {
		time.Sleep(2 * giveUp)
		return status.Error(codes.Unavailable, "broken")
	}
	finish := func(s stream) error {
		time.Sleep(2 * giveUp)
		start(t, s, "m")
		return over(s)
	}
	equal(t, "error", play(t, t.Context(), never, script{wait, wait, finish}), nil)
}

// TestVanished: a referee that goes away after the match was over owes nothing.
func TestVanished(t *testing.T) {
	short(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	left := make(chan func(stream) error, 1)
	left <- func(s stream) error {
		start(t, s, "m")
		say(s, ended())
		<-s.Context().Done()
		return nil
	}
	pb.RegisterPlayServiceServer(server, &referee{streams: left, t: t})
	go func() { _ = server.Serve(listener) }()
	bot := Bot{Choose: never, Address: listener.Addr().String(), Token: "secret", Version: "7"}
	bot.OnEvent = func(event *pb.PlayEvent) {
		if event.GetMatchEnded() != nil {
			server.Stop()
		}
	}
	equal(t, "error", bot.Run(t.Context()), nil)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := play(t, ctx, never, script{func(s stream) error {
		start(t, s, "m")
		cancel()
		<-s.Context().Done()
		return nil
	}})
	equal(t, "error", err, context.Canceled)
}

func TestSettings(t *testing.T) {
	for missing, bot := range map[string]Bot{"REFEREE_ADDRESS": {Token: "x"}, "REFEREE_TOKEN": {Address: "x"}} {
		t.Setenv(missing, "")
		if err := bot.Run(t.Context()); !errors.Is(err, ErrSetting) || !strings.Contains(err.Error(), missing) {
			t.Error(err)
		}
	}
}
