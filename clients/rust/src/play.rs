//! The stream to the referee: join, answer, join again.

use crate::proto::play_service_client::PlayServiceClient;
use crate::proto::{self, CloseReason, answer::Choice, play_event::Event, play_request::Request};
use crate::{Action, MatchInfo, Turn};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, error, fmt, fs, io};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Status};

/// What the SDK tells the referee about itself.
pub const CLIENT: &str = concat!("referee-bot-rust ", env!("CARGO_PKG_VERSION"));

/// A call that ends so would end so again.
const FINAL: [Code; 6] = [
    Code::Unauthenticated,
    Code::PermissionDenied,
    Code::InvalidArgument,
    Code::FailedPrecondition,
    Code::NotFound,
    Code::Unimplemented,
];

/// Why a bot cannot play. Its text says it in words; its `Debug` form is the same, so that a `main` that returns it
/// ends with a line for people.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The address or the token is missing or makes no sense, or a certificate cannot be read.
    Setting(String),
    /// The referee does not accept the bot, for instance because it does not know the token.
    Refused(String),
    /// The referee could not be reached for 20 seconds.
    Lost(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(text) => f.write_str(text),
            Self::Refused(text) => write!(f, "refused by the referee: {text}"),
            Self::Lost(text) => write!(f, "no referee at {text}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl error::Error for Error {}

/// Plays with the address and the token of the environment: see [`Bot::run`].
///
/// # Errors
///
/// As [`Bot::run`].
pub fn run(choose: impl FnMut(&Turn) -> Action) -> Result<(), Error> {
    Bot::new(choose).run()
}

/// A bot, and where it is to play.
#[must_use]
pub struct Bot<'a> {
    choose: Box<dyn FnMut(&Turn) -> Action + 'a>,
    on_event: Box<dyn FnMut(&proto::PlayEvent) + 'a>,
    address: Option<String>,
    token: Option<String>,
    version: String,
    pub(crate) pace: Pace,
}

/// How long the bot pauses, first and at most, before it joins again; how long it tries; and how long a stream must
/// have lived to be no mere attempt: a bot may wait long, and hear nothing, until it gets a seat.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub first: Duration,
    pub last: Duration,
    pub give_up: Duration,
    pub alive: Duration,
}

const PACE: Pace = Pace {
    first: Duration::from_millis(50),
    last: Duration::from_secs(2),
    give_up: Duration::from_secs(20),
    alive: Duration::from_secs(5),
};

impl<'a> Bot<'a> {
    /// A bot that plays what `choose` gives, which is one of [`Turn::legal`]. Anything else is refused by the referee,
    /// and `choose` is asked again with the reason in [`Turn::refusal`], while the time lasts.
    pub fn new(choose: impl FnMut(&Turn) -> Action + 'a) -> Self {
        Self {
            choose: Box::new(choose),
            on_event: Box::new(|_| {}),
            address: None,
            token: None,
            version: String::new(),
            pace: PACE,
        }
    }

    /// The referee's `HOST:PORT`. Default: the environment variable `REFEREE_ADDRESS`.
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }

    /// The secret that names the seat. Default: the environment variable `REFEREE_TOKEN`.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// The bot's own version; results of different versions are not mixed.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Calls `on_event` with every event of the stream, in order, before it is dealt with.
    pub fn on_event(mut self, on_event: impl FnMut(&proto::PlayEvent) + 'a) -> Self {
        self.on_event = Box::new(on_event);
        self
    }

    /// Plays until the referee has no more for this bot: one match, or all of a tournament.
    ///
    /// A broken connection is mended: the bot joins again and gets its open turn again. Refusals and faults are told on
    /// standard error. The bot is called on this thread, while another one keeps the connection.
    ///
    /// With TLS, the environment variable `REFEREE_CA` names the PEM file of the authority that signed the referee's
    /// certificate; `REFEREE_CERT` and `REFEREE_KEY` name the bot's own, where the referee asks for one.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if there is no address or no token or a certificate cannot be read, [`Error::Refused`] if the
    /// referee does not accept the bot, [`Error::Lost`] if it could not be reached for 20 seconds.
    ///
    /// # Panics
    ///
    /// If the bot does, or if this is called from asynchronous code of tokio: there, use `spawn_blocking`.
    pub fn run(mut self) -> Result<(), Error> {
        let address = setting("address", self.address.take(), "REFEREE_ADDRESS")?;
        let token = setting("token", self.token.take(), "REFEREE_TOKEN")?;
        let join = proto::Join { token, client: CLIENT.into(), version: self.version.clone(), ..Default::default() };
        let endpoint = endpoint(&address)?
            .connect_timeout(self.pace.last)
            .http2_keep_alive_interval(Duration::from_secs(60))
            .keep_alive_timeout(Duration::from_secs(20))
            .keep_alive_while_idle(true);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Error::Lost(format!("{address}: {error}")))?;
        let name = env::var("REFEREE_NAME").unwrap_or_default();
        let mut player = Player {
            bot: self,
            join,
            name: if name.is_empty() { "bot".into() } else { name },
            match_info: Arc::default(),
            turn: None,
            joined: false,
            played: false,
            ended: false,
        };
        runtime.block_on(async { player.play(PlayServiceClient::new(endpoint.connect_lazy()), &address).await })
    }
}

/// With TLS, if `REFEREE_CA` names the certificate of whoever signed the referee's.
fn endpoint(address: &str) -> Result<Endpoint, Error> {
    let (authority, own) = (file("REFEREE_CA")?, (file("REFEREE_CERT")?, file("REFEREE_KEY")?));
    let scheme = if authority.is_some() { "https" } else { "http" };
    // Straight to it: tonic knows no proxies.
    let endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))
        .map_err(|error| Error::Setting(format!("the address {address:?} is not HOST:PORT: {error}")))?;
    let host = endpoint.uri().host().unwrap_or_default().trim_matches(['[', ']']);
    let tls = ClientTlsConfig::new().domain_name(host);
    let tls = match (authority, own) {
        (None, (None, None)) => return Ok(endpoint),
        (Some(authority), (None, None)) => tls.ca_certificate(Certificate::from_pem(authority)),
        (Some(authority), (Some(certificate), Some(key))) => {
            tls.ca_certificate(Certificate::from_pem(authority)).identity(Identity::from_pem(certificate, key))
        }
        _ => {
            let text = "a certificate of the bot's own needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY";
            return Err(Error::Setting(text.into()));
        }
    };
    endpoint.tls_config(tls).map_err(|error| {
        let cause = error::Error::source(&error).map_or_else(String::new, |cause| format!(": {cause}"));
        Error::Setting(format!("REFEREE_CA, REFEREE_CERT, REFEREE_KEY: {error}{cause}; they must name PEM files"))
    })
}

/// The content of the file that an environment variable names, if it is set.
fn file(variable: &str) -> Result<Option<Vec<u8>>, Error> {
    let path = env::var_os(variable).unwrap_or_default();
    if path.is_empty() {
        return Ok(None);
    }
    let told = |error| format!("{variable}={}: {error}; it must name a PEM file", path.to_string_lossy());
    fs::read(&path).map(Some).map_err(|error| Error::Setting(told(error)))
}

fn setting(name: &str, value: Option<String>, variable: &str) -> Result<String, Error> {
    value.or_else(|| env::var(variable).ok()).filter(|value| !value.is_empty()).ok_or_else(|| {
        Error::Setting(format!("no {name}: set the environment variable {variable}, or call Bot::{name}"))
    })
}

struct Player<'a> {
    bot: Bot<'a>,
    join: proto::Join,
    name: String,
    match_info: Arc<MatchInfo>,
    /// The last one.
    turn: Option<Turn>,
    // Whether the last stream took the seat, had a turn, saw the end of the match.
    joined: bool,
    played: bool,
    ended: bool,
}

impl Player<'_> {
    /// Stream after stream, until there is no more to play.
    async fn play(&mut self, mut client: PlayServiceClient<Channel>, address: &str) -> Result<(), Error> {
        let pace = self.bot.pace;
        let (mut delay, mut deadline, mut over) = (pace.first, Instant::now() + pace.give_up, false);
        loop {
            let begun = Instant::now();
            let end = self.stream(&mut client).await;
            over = self.ended || over && !self.joined;
            let problem = match end {
                Ok(closed) => {
                    if closed.reason() == CloseReason::Refused && !over {
                        return Err(Error::Refused(closed.message));
                    }
                    if closed.reason() != CloseReason::MatchOver {
                        self.say(&closed.message);
                    }
                    if !closed.join_again {
                        return Ok(());
                    }
                    if self.ended {
                        (delay, deadline) = (pace.first, Instant::now() + pace.give_up);
                        continue;
                    }
                    closed.message
                }
                Err(status) if FINAL.contains(&status.code()) => return Err(Error::Refused(in_words(&status))),
                Err(status) => in_words(&status),
            };
            if self.joined || begun.elapsed() > pace.alive {
                deadline = Instant::now() + pace.give_up;
            }
            if self.played {
                delay = pace.first;
            }
            if Instant::now() > deadline {
                // If the referee went away after a match was over, nothing is lost.
                return if over { Ok(()) } else { Err(Error::Lost(format!("{address}: {problem}"))) };
            }
            tokio::time::sleep(delay.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
            delay = pace.last.min(2 * delay);
        }
    }

    /// One stream from Join to Closed, or to the error by which it broke.
    async fn stream(&mut self, client: &mut PlayServiceClient<Channel>) -> Result<proto::Closed, Status> {
        (self.joined, self.played, self.ended) = (false, false, false);
        let (sender, requests) = mpsc::unbounded_channel();
        let send = |request| {
            let _ = sender.send(proto::PlayRequest { request: Some(request) }); // the stream itself tells that it broke
        };
        send(Request::Join(self.join.clone()));
        let mut responses = client.play(UnboundedReceiverStream::new(requests)).await?.into_inner();
        while let Some(response) = responses.message().await? {
            let fresh = !self.joined;
            for event in response.events {
                (self.bot.on_event)(&event);
                match event.event {
                    Some(Event::Joined(joined)) => (self.joined, self.name) = (true, joined.name),
                    Some(Event::MatchStarted(message)) => self.match_info = Arc::new(MatchInfo::new(message)),
                    Some(Event::Turn(message)) => {
                        self.played = true;
                        let turn = self.turn.insert(Turn::new(message, self.match_info.clone()));
                        send(answer(&mut self.bot, turn));
                    }
                    Some(Event::Refusal(refusal)) => {
                        self.say(&format!("refused: {}", refusal.message));
                        let again = refusal.remedy() == proto::Remedy::AskAgain;
                        if let Some(turn) = self.turn.as_mut().filter(|turn| again && turn.id == refusal.turn_id()) {
                            turn.refusal = Some(refusal);
                            send(answer(&mut self.bot, turn));
                        }
                    }
                    Some(Event::Fault(fault)) if fault.seat() as usize == self.match_info.seat => {
                        self.say(&format!("fault: {}", fault.message));
                    }
                    Some(Event::MatchEnded(_)) => self.ended = true,
                    Some(Event::Closed(closed)) => return Ok(closed),
                    _ => {}
                }
            }
            if fresh && self.joined {
                send(Request::Ready(proto::Ready {})); // after all of the response, so that `on_event` may load
            }
        }
        Err(Status::unavailable("the stream ended"))
    }

    fn say(&self, text: &str) {
        let _ = writeln!(io::stderr(), "{}: {text}", self.name); // nobody may be listening
    }
}

/// What the bot chooses: a place if the action is in the list, else the action as it stands.
fn answer(bot: &mut Bot, turn: &Turn) -> Request {
    let action = (bot.choose)(turn);
    let place = turn.legal.iter().position(|legal| *legal == action).and_then(|place| u32::try_from(place).ok());
    let choice =
        place.map_or_else(|| Choice::Action(proto::Action { notation: action.notation, kind: None }), Choice::Index);
    Request::Answer(proto::Answer { turn_id: turn.id, choice: Some(choice) })
}

/// A status with all that is behind it.
fn in_words(status: &Status) -> String {
    let mut words = status.message().to_owned();
    let mut cause = error::Error::source(status);
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.contains(&text) {
            words = format!("{words}: {text}");
        }
        cause = error.source();
    }
    if words.is_empty() { status.code().to_string() } else { words }
}
