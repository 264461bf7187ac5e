// Package refereebot plays dominoes under a referee: a bot is a function from a [Turn] to one of its actions.
//
//	func choose(turn *refereebot.Turn) refereebot.Action { return turn.Legal[0] }
//
//	func main() {
//		if err := refereebot.Run(choose); err != nil {
//			log.Fatal(err)
//		}
//	}
package refereebot

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	pb "github.com/domino-referee/domino-referee/clients/go/refereev1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// Client is what the SDK tells the referee about itself.
const Client = "referee-bot-go 0.1.0"

// Why a bot cannot play: compare with [errors.Is]. The error's text says more.
var (
	ErrSetting = errors.New("missing setting")        // There is no address or no token, or a certificate cannot be read.
	ErrRefused = errors.New("refused by the referee") // The referee does not accept the bot, or its token.
	ErrLost    = errors.New("no referee")             // The referee could not be reached for 20 seconds.
)

// How long the bot pauses, first and at most, before it joins again; how long it tries; and how long an open stream
// must have lived to be no mere attempt: a bot may wait long, and hear nothing, until it gets a seat.
var firstDelay, lastDelay, giveUp, alive = 50 * time.Millisecond, 2 * time.Second, 20 * time.Second, 5 * time.Second

// A call that ends so would end so again.
var final = []codes.Code{codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument,
	codes.FailedPrecondition, codes.NotFound, codes.Unimplemented}

// A Bot is what is to play, and where. Only Choose is required.
type Bot struct {
	// Choose gives one of turn.Legal. Anything else is refused by the referee, and Choose is asked again with the reason
	// in turn.Refusal, while the time lasts.
	Choose func(turn *Turn) Action
	// Address is the referee's HOST:PORT. Default: the environment variable REFEREE_ADDRESS.
	Address string
	// Token is the secret that names the seat. Default: the environment variable REFEREE_TOKEN.
	Token string
	// Version is the bot's own version; results of different versions are not mixed.
	Version string
	// OnEvent, if set, is called with every event of the stream, in order, before it is dealt with.
	OnEvent func(event *pb.PlayEvent)
}

// Run plays with the address and the token of the environment: see [Bot.Run].
func Run(choose func(turn *Turn) Action) error {
	return Bot{Choose: choose}.Run(context.Background())
}

// Run plays until the referee has no more for this bot, one match or all of a tournament, or ctx is done. A broken
// connection is mended: the bot joins again and gets its open turn again. Refusals and faults are told on standard
// error. The error is nil, ctx's, or wraps one of this package's.
//
// With TLS, the environment variable REFEREE_CA names the PEM file of the authority that signed the referee's
// certificate; REFEREE_CERT and REFEREE_KEY name the bot's own, where the referee asks for one.
func (b Bot) Run(ctx context.Context) error {
	if b.Address = cmp.Or(b.Address, os.Getenv("REFEREE_ADDRESS")); b.Address == "" {
		return fmt.Errorf("%w: no address: set the environment variable REFEREE_ADDRESS, or Bot.Address", ErrSetting)
	}
	if b.Token = cmp.Or(b.Token, os.Getenv("REFEREE_TOKEN")); b.Token == "" {
		return fmt.Errorf("%w: no token: set the environment variable REFEREE_TOKEN, or Bot.Token", ErrSetting)
	}
	creds, err := transport()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	wait := backoff.Config{BaseDelay: firstDelay, Multiplier: 2, Jitter: 0.5, MaxDelay: lastDelay}
	conn, err := grpc.NewClient(b.Address, // Go sends no connection within this machine through a proxy
		grpc.WithTransportCredentials(creds), grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: lastDelay}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 20 * time.Second}))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	defer func() { _ = conn.Close() }()
	p := &player{Bot: b, name: cmp.Or(os.Getenv("REFEREE_NAME"), "bot"), match: newMatch(nil)}
	return p.play(ctx, pb.NewPlayServiceClient(conn))
}

// transport is TLS, if REFEREE_CA names the certificate of whoever signed the referee's.
func transport() (credentials.TransportCredentials, error) {
	ca, cert, key := os.Getenv("REFEREE_CA"), os.Getenv("REFEREE_CERT"), os.Getenv("REFEREE_KEY")
	switch {
	case (cert == "") != (key == "") || cert != "" && ca == "":
		return nil, errors.New("a certificate of the bot's own needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY")
	case ca == "":
		return insecure.NewCredentials(), nil
	}
	authority, err := os.ReadFile(ca)
	if err != nil {
		return nil, fmt.Errorf("REFEREE_CA: %w; it must name a PEM file", err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	if !config.RootCAs.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("REFEREE_CA=%s: no certificate in it; it must name a PEM file", ca)
	}
	if cert != "" {
		own, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("REFEREE_CERT, REFEREE_KEY: %w; they must name PEM files", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return credentials.NewTLS(config), nil
}

type player struct {
	Bot
	name                  string
	match                 *MatchInfo
	turn                  *Turn     // the last one
	opened                time.Time // when the last stream was; zero if it was not
	joined, played, ended bool      // whether it took the seat, had a turn, saw the end of the match
}

// play plays stream after stream, until there is no more to play.
func (p *player) play(ctx context.Context, client pb.PlayServiceClient) error {
	delay, deadline, over := firstDelay, time.Now().Add(giveUp), false
	for {
		closed, err := p.stream(ctx, client, deadline)
		over = p.ended || over && !p.joined
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, ErrRefused) {
			return err
		}
		if closed != nil {
			err = errors.New(closed.GetMessage())
			switch reason := closed.GetReason(); {
			case reason == pb.CloseReason_CLOSE_REASON_REFUSED && !over:
				return fmt.Errorf("%w: %w", ErrRefused, err)
			case reason != pb.CloseReason_CLOSE_REASON_MATCH_OVER:
				p.say(closed.GetMessage())
			}
			if !closed.GetJoinAgain() {
				return nil
			}
			if p.ended {
				delay, deadline = firstDelay, time.Now().Add(giveUp)
				continue
			}
		}
		if p.joined || !p.opened.IsZero() && time.Since(p.opened) > alive {
			deadline = time.Now().Add(giveUp)
		}
		if p.played {
			delay = firstDelay
		}
		if time.Now().After(deadline) {
			if over { // the referee went away after a match was over: nothing is lost
				return nil
			}
			return fmt.Errorf("%w at %s: %s", ErrLost, p.Address, status.Convert(err).Message())
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay/2 + rand.N(delay/2)):
		}
		delay = min(2*delay, lastDelay)
	}
}

// stream is one stream from Join to Closed, or to the error by which it broke.
func (p *player) stream(ctx context.Context, client pb.PlayServiceClient, deadline time.Time) (*pb.Closed, error) {
	p.joined, p.played, p.ended, p.opened = false, false, false, time.Time{}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(time.Until(deadline), cancel)
	stream, err := client.Play(ctx, grpc.WaitForReady(true)) // gRPC makes the pauses between attempts to connect
	timer.Stop()
	if err != nil {
		return nil, err
	}
	p.opened = time.Now()
	send := func(request *pb.PlayRequest) { _ = stream.Send(request) } // Recv tells why the stream is broken
	send(&pb.PlayRequest{Request: &pb.PlayRequest_Join{
		Join: &pb.Join{Token: p.Token, Client: Client, Version: p.Version}}})
	for {
		response, err := stream.Recv()
		if slices.Contains(final, status.Code(err)) {
			err = fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if err != nil {
			return nil, err
		}
		fresh := !p.joined
		for _, event := range response.GetEvents() {
			if p.OnEvent != nil && event.GetEvent() != nil {
				p.OnEvent(event)
			}
			switch event := event.GetEvent().(type) { // one that is not here is skipped
			case *pb.PlayEvent_Joined:
				p.joined, p.name = true, event.Joined.GetName()
			case *pb.PlayEvent_MatchStarted:
				p.match = newMatch(event.MatchStarted)
			case *pb.PlayEvent_Turn:
				p.played, p.turn = true, newTurn(event.Turn, p.match)
				send(p.answer())
			case *pb.PlayEvent_Refusal:
				p.say("refused: " + event.Refusal.GetMessage())
				again := event.Refusal.GetRemedy() == pb.Remedy_REMEDY_ASK_AGAIN
				if again && p.turn != nil && int(event.Refusal.GetTurnId()) == p.turn.ID {
					p.turn.Refusal = event.Refusal
					send(p.answer())
				}
			case *pb.PlayEvent_Fault:
				if int(event.Fault.GetSeat()) == p.match.Seat {
					p.say("fault: " + event.Fault.GetMessage())
				}
			case *pb.PlayEvent_MatchEnded:
				p.ended = true
			case *pb.PlayEvent_Closed:
				return event.Closed, nil
			}
		}
		if fresh && p.joined { // after all of the response, so that OnEvent may load what the match needs
			send(&pb.PlayRequest{Request: &pb.PlayRequest_Ready{Ready: &pb.Ready{}}})
		}
	}
}

// answer asks the bot: its answer is a place if the action is in the list, else the action as it stands.
func (p *player) answer() *pb.PlayRequest {
	action := p.Choose(p.turn)
	answer := &pb.Answer{TurnId: uint32(p.turn.ID)}
	if place := slices.Index(p.turn.Legal, action); place >= 0 {
		answer.Choice = &pb.Answer_Index{Index: uint32(place)}
	} else {
		answer.Choice = &pb.Answer_Action{Action: &pb.Action{Notation: action.Notation}}
	}
	return &pb.PlayRequest{Request: &pb.PlayRequest_Answer{Answer: answer}}
}

func (p *player) say(text string) { fmt.Fprintf(os.Stderr, "%s: %s\n", p.name, text) }
