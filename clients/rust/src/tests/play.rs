use crate::play::Pace;
use crate::proto::play_service_server::{PlayService, PlayServiceServer};
use crate::proto::{self, CloseReason, Remedy, answer::Choice, play_event::Event, play_request::Request};
use crate::{Action, Bot, CLIENT, Error, Turn, run};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prost::Message as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Response, Status, Streaming};

/// What the referee does on one stream. It has heard Join.
type Act = Box<dyn FnOnce(&mut Stage) -> Result<(), Status> + Send>;

/// The referee's side of a stream.
struct Stage {
    requests: Streaming<proto::PlayRequest>,
    responses: mpsc::UnboundedSender<Result<proto::PlayResponse, Status>>,
    runtime: Handle,
}

impl Stage {
    fn say(&self, events: impl IntoIterator<Item = Event>) {
        let events = events.into_iter().map(|event| proto::PlayEvent { event: Some(event) }).collect();
        let _ = self.responses.send(Ok(proto::PlayResponse { events }));
    }

    fn hear(&mut self) -> Request {
        let request = self.runtime.block_on(self.requests.message());
        request.expect("an open stream").expect("a request").request.expect("a request of some kind")
    }

    fn start(&mut self, id: &str) {
        let joined = proto::Joined { match_id: id.into(), seat: Some(0), name: "me".into(), resumed: false };
        let started = proto::MatchStarted { match_id: id.into(), seat: Some(0), ..Default::default() };
        self.say([Event::Joined(joined), Event::MatchStarted(started)]);
        assert_eq!(self.hear(), Request::Ready(proto::Ready {}));
    }

    fn expect(&mut self, turn_id: u32, choice: Choice) {
        assert_eq!(self.hear(), Request::Answer(proto::Answer { turn_id, choice: Some(choice) }));
    }

    fn finish(&mut self, join_again: bool) {
        self.say([Event::MatchEnded(proto::MatchEnded::default()), closed(CloseReason::MatchOver, join_again)]);
    }
}

struct Referee {
    acts: Arc<Mutex<VecDeque<Act>>>,
}

#[tonic::async_trait]
impl PlayService for Referee {
    type PlayStream = UnboundedReceiverStream<Result<proto::PlayResponse, Status>>;

    async fn play(
        &self,
        request: tonic::Request<Streaming<proto::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let act = self.acts.lock().unwrap().pop_front().ok_or_else(|| Status::internal("no act is left"))?;
        let (sender, responses) = mpsc::unbounded_channel();
        let mut stage = Stage { requests: request.into_inner(), responses: sender, runtime: Handle::current() };
        tokio::task::spawn_blocking(move || {
            let join = proto::Join {
                token: "secret".into(),
                client: CLIENT.into(),
                version: "7".into(),
                ..Default::default()
            };
            assert_eq!(stage.hear(), Request::Join(join));
            if let Err(status) = act(&mut stage) {
                let _ = stage.responses.send(Err(status));
            }
        });
        Ok(Response::new(UnboundedReceiverStream::new(responses)))
    }
}

/// A referee by a script, at an address, and the acts that are left.
fn serve(acts: Vec<Act>) -> (Runtime, String, Arc<Mutex<VecDeque<Act>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let acts = Arc::new(Mutex::new(VecDeque::from(acts)));
    let service = PlayServiceServer::new(Referee { acts: acts.clone() });
    let runtime = Runtime::new().unwrap();
    runtime.spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        loop {
            let io = TokioIo::new(listener.accept().await.unwrap().0);
            let mut http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            http.timer(TokioTimer::new())
                .keep_alive_interval(Duration::from_millis(100))
                .keep_alive_timeout(Duration::from_secs(2));
            tokio::spawn(http.serve_connection(io, TowerToHyperService::new(service.clone())));
        }
    });
    (runtime, address, acts)
}

/// A bot plays by a script, to the end.
fn play(mut bot: Bot, acts: Vec<Act>) -> Result<(), Error> {
    let (runtime, address, acts) = serve(acts);
    bot.pace.give_up = bot.pace.give_up.min(Duration::from_secs(5)); // if the test fails
    let end = bot.address(address).token("secret").version("7").run();
    runtime.shutdown_background();
    assert_eq!(acts.lock().unwrap().len(), 0, "acts are left");
    end
}

fn act(act: impl FnOnce(&mut Stage) -> Result<(), Status> + Send + 'static) -> Act {
    Box::new(act)
}

fn short(mut bot: Bot) -> Bot {
    let ms = Duration::from_millis;
    bot.pace = Pace { first: ms(5), last: ms(2000), give_up: ms(300), alive: ms(100) };
    bot
}

fn first(turn: &Turn) -> Action {
    turn.legal[0].clone()
}

fn never(turn: &Turn) -> Action {
    panic!("asked in {turn:?}")
}

fn turn<const N: usize>(turn_id: u32, legal: [&str; N]) -> Event {
    let legal = legal.map(|notation| proto::Action { notation: notation.into(), kind: None }).into();
    Event::Turn(proto::Turn { turn_id, legal, ..Default::default() })
}

fn refusal(turn_id: u32, remedy: i32) -> Event {
    Event::Refusal(proto::Refusal { turn_id: Some(turn_id), message: "no".into(), remedy, ..Default::default() })
}

fn closed(reason: CloseReason, join_again: bool) -> Event {
    Event::Closed(proto::Closed { reason: reason.into(), join_again, message: "why".into() })
}

#[test]
fn answers() {
    let mut choices = ["0-0 right", "6-6", "#1", "pass", "draw"].map(Action::from).into_iter();
    let mut refused = Vec::new();
    let bot = Bot::new(|turn| {
        refused.push(turn.refusal.as_ref().map(|refusal| refusal.message.clone()));
        choices.next().expect("a question")
    });
    let script = act(|stage| {
        stage.start("m");
        stage.say([turn(1, ["0-0 right", "0-0 left"])]); // place 0
        stage.expect(1, Choice::Index(0));
        stage.say([turn(2, ["6-5", ""])]); // not in the list: as it stands
        stage.expect(2, Choice::Action(proto::Action { notation: "6-6".into(), kind: None }));
        stage.say([refusal(1, Remedy::AskAgain.into()), refusal(2, Remedy::Ignore.into()), refusal(2, 99)]);
        stage.say([refusal(2, Remedy::AskAgain.into())]); // the only one that asks again
        stage.expect(2, Choice::Index(1));
        let raw = [0x98, 0x06, 0x01].as_slice(); // an event to come: field 99
        let unknown = proto::PlayEvent::decode(raw).expect("an event");
        let known = proto::PlayEvent { event: Some(turn(4, ["swap 6-5", "pass"])) };
        let _ = stage.responses.send(Ok(proto::PlayResponse { events: vec![unknown, known] }));
        stage.expect(4, Choice::Index(1));
        stage.say([turn(5, ["", "", "draw"])]);
        stage.expect(5, Choice::Index(2));
        stage.finish(false);
        Ok(())
    });
    assert_eq!(play(bot, vec![script]), Ok(()));
    assert_eq!(refused, [None, None, Some("no".to_owned()), None, None]);
}

#[test]
fn match_after_match() {
    let game = |id: &'static str, again| {
        act(move |stage| {
            stage.start(id);
            stage.say([turn(1, ["pass"])]);
            stage.expect(1, Choice::Index(0));
            stage.finish(again);
            Ok(())
        })
    };
    let heard = RefCell::new(Vec::new());
    let bot = Bot::new(|turn| {
        heard.borrow_mut().push(turn.match_info.id.clone());
        first(turn)
    });
    let bot = bot.on_event(|event| {
        if let Some(Event::Closed(closed)) = &event.event {
            heard.borrow_mut().push(closed.join_again.to_string());
        }
    });
    assert_eq!(play(bot, vec![game("a", true), game("b", true), game("c", false)]), Ok(()));
    assert_eq!(heard.into_inner(), ["a", "true", "b", "true", "c", "false"]);
}

#[test]
fn broken_streams() {
    let broken = || {
        act(|stage| {
            stage.start("m");
            stage.say([turn(1, ["pass"])]);
            stage.expect(1, Choice::Index(0));
            Err(Status::unavailable("broken"))
        })
    };
    let cut = act(|_| Ok(())); // without Closed
    let replaced = act(|stage| {
        stage.say([closed(CloseReason::ServerDraining, true)]);
        Ok(())
    });
    let finish = act(|stage| {
        stage.start("m");
        stage.finish(false);
        Ok(())
    });
    assert_eq!(play(Bot::new(first), vec![broken(), cut, replaced, broken(), finish]), Ok(()));
}

#[test]
fn refused() {
    let closed = act(|stage| {
        stage.say([closed(CloseReason::Refused, false)]);
        Ok(())
    });
    assert_eq!(play(Bot::new(never), vec![closed]), Err(Error::Refused("why".into())));
    let status = act(|_| Err(Status::unimplemented("not so")));
    assert_eq!(play(Bot::new(never), vec![status]), Err(Error::Refused("not so".into())));
    assert_eq!(format!("{:?}", Error::Refused("why".into())), "refused by the referee: why");
}

#[test]
fn lost() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = short(Bot::new(never)).address(&address).token("x").run().unwrap_err();
    assert!(matches!(error, Error::Lost(_)));
    assert!(error.to_string().contains(&address) && error.to_string().contains("refused"), "{error}");
}

/// Hearing nothing for long is no loss.
#[test]
fn waiting() {
    let wait = || {
        act(|_| {
            sleep(Duration::from_millis(600));
            Err(Status::unavailable("broken"))
        })
    };
    let finish = act(|stage| {
        sleep(Duration::from_millis(600));
        stage.start("m");
        stage.finish(false);
        Ok(())
    });
    assert_eq!(play(short(Bot::new(never)), vec![wait(), wait(), finish]), Ok(()));
}

/// A referee that goes away after the match was over owes nothing.
#[test]
fn vanished() {
    let (runtime, address, _) = serve(vec![act(|stage| {
        stage.start("m");
        stage.say([Event::MatchEnded(proto::MatchEnded::default())]);
        let _ = stage.runtime.block_on(stage.requests.message());
        Ok(())
    })]);
    let mut runtime = Some(runtime);
    let bot = short(Bot::new(never)).on_event(|event| {
        if let Some(Event::MatchEnded(_)) = event.event {
            runtime.take().expect("one end").shutdown_background();
        }
    });
    assert_eq!(bot.address(address).token("secret").version("7").run(), Ok(()));
}

/// A bot that thinks for long keeps its connection.
#[test]
fn thinking() {
    let script = act(|stage| {
        stage.start("m");
        stage.say([turn(1, ["pass"])]);
        stage.expect(1, Choice::Index(0));
        stage.finish(false);
        Ok(())
    });
    let bot = Bot::new(|turn| {
        sleep(Duration::from_millis(3500));
        first(turn)
    });
    assert_eq!(play(bot, vec![script]), Ok(()));
}

#[test]
fn a_mistake_in_the_bot_ends_it() {
    let script = act(|stage| {
        stage.start("m");
        stage.say([turn(1, [])]);
        let _ = stage.runtime.block_on(stage.requests.message());
        Ok(())
    });
    assert!(catch_unwind(AssertUnwindSafe(|| play(Bot::new(first), vec![script]))).is_err());
}

#[test]
fn settings() {
    let error = Bot::new(never).address("127.0.0.1:1").token("").run().unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("REFEREE_TOKEN")), "{error}");
    let error = Bot::new(never).address("").token("x").run().unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("REFEREE_ADDRESS")), "{error}");
    let error = Bot::new(never).address("no address").token("x").run().unwrap_err();
    assert!(matches!(&error, Error::Setting(text) if text.contains("\"no address\"")), "{error}");
    assert!(matches!(run(never), Err(Error::Setting(_))));
}
