package referee.bot;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.File;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import referee.v1.Answer;
import referee.v1.CloseReason;
import referee.v1.Closed;
import referee.v1.Join;
import referee.v1.MatchStarted;
import referee.v1.PlayEvent;
import referee.v1.PlayRequest;
import referee.v1.PlayResponse;
import referee.v1.PlayServiceGrpc;
import referee.v1.Ready;
import referee.v1.Refusal;
import referee.v1.Remedy;

/**
 * A bot that plays: {@code Bot.run(turn -> turn.legal().get(0))}.
 *
 * <p>A broken connection is mended: the bot joins again and gets its open turn again. An exception of the function ends
 * the bot. Refusals and faults are told on standard error. One bot plays in one thread at a time.
 */
public final class Bot {
    /** What a bot tells the referee about this library. */
    public static final String CLIENT = "referee-bot-java 0.1.0";

    // The first and the longest pause between attempts to connect, how long they go on, and what a stream lives for
    // that
    // was no mere attempt: a bot may wait long, and hear nothing, until it gets a seat.
    private static final long FIRST_DELAY_MS = 50;
    private static final long LAST_DELAY_MS = 2_000;
    private static final long GIVE_UP_MS = 20_000;
    private static final long ALIVE_MS = 5_000;

    private static final Set<Status.Code> FINAL = EnumSet.of( // a call that ends so would end so again
            Status.Code.UNAUTHENTICATED,
            Status.Code.PERMISSION_DENIED,
            Status.Code.INVALID_ARGUMENT,
            Status.Code.FAILED_PRECONDITION,
            Status.Code.NOT_FOUND,
            Status.Code.UNIMPLEMENTED);

    private final Function<? super Turn, Action> choose;
    private String address = System.getenv("REFEREE_ADDRESS");
    private String token = System.getenv("REFEREE_TOKEN");
    private String version = "";
    private Consumer<? super PlayEvent> onEvent = event -> {};

    private String name = Objects.requireNonNullElse(System.getenv("REFEREE_NAME"), "bot");
    private MatchInfo match = new MatchInfo(MatchStarted.getDefaultInstance());
    private Turn turn;
    private boolean joined; // this and the next two: in the last stream
    private boolean played;
    private boolean ended;
    private String problem = "";

    private Bot(Function<? super Turn, Action> choose) {
        this.choose = Objects.requireNonNull(choose);
    }

    /**
     * Plays, as the environment says ({@code REFEREE_ADDRESS}, {@code REFEREE_TOKEN}), until the referee has no more for
     * this bot: one match, or all of a tournament.
     *
     * <p>With TLS, {@code REFEREE_CA} names the PEM file of the authority that signed the referee's certificate;
     * {@code REFEREE_CERT} and {@code REFEREE_KEY} name the bot's own, where the referee asks for one.
     *
     * @param choose the bot: gives one of {@link Turn#legal()}. Anything else is refused by the referee, and the bot is
     *     asked again with the reason in {@link Turn#refusal()}, while the time lasts
     * @throws BotException if there is no address or no token, if a certificate cannot be read, if the referee does not
     *     accept the bot, or if it could not be reached for 20 seconds
     */
    public static void run(Function<? super Turn, Action> choose) {
        of(choose).play();
    }

    /**
     * A bot to be set up otherwise than by the environment.
     *
     * @param choose as in {@link #run}
     * @return the bot; {@link #play()} plays it
     */
    public static Bot of(Function<? super Turn, Action> choose) {
        return new Bot(choose);
    }

    /**
     * Sets where the referee is. Default: the environment variable {@code REFEREE_ADDRESS}.
     *
     * @param address {@code HOST:PORT}
     * @return this bot
     */
    public Bot address(String address) {
        this.address = address;
        return this;
    }

    /**
     * Sets the secret that names the seat. Default: the environment variable {@code REFEREE_TOKEN}.
     *
     * @param token the secret
     * @return this bot
     */
    public Bot token(String token) {
        this.token = token;
        return this;
    }

    /**
     * Sets the bot's own version. Results of different versions are not mixed.
     *
     * @param version at most 200 characters
     * @return this bot
     */
    public Bot version(String version) {
        this.version = version;
        return this;
    }

    /**
     * Sets what is called with every event of the stream, in order, before it is dealt with. Events come with the bot's
     * next turn, and the time that the call takes then is the bot's.
     *
     * @param onEvent the listener
     * @return this bot
     */
    public Bot onEvent(Consumer<? super PlayEvent> onEvent) {
        this.onEvent = onEvent;
        return this;
    }

    /** Plays as {@link #run} does. */
    public void play() {
        require("address", address, "REFEREE_ADDRESS");
        require("token", token, "REFEREE_TOKEN");
        ChannelCredentials credentials = credentials();
        ManagedChannel channel = open(credentials);
        try {
            long delay = FIRST_DELAY_MS;
            long deadline = now() + GIVE_UP_MS;
            boolean over = false;
            while (true) {
                long begun = now();
                Stream stream = new Stream();
                Closed closed = stream.play(channel);
                over = ended || over && !joined;
                if (closed != null) {
                    if (closed.getReason() == CloseReason.CLOSE_REASON_REFUSED && !over) {
                        throw new BotException.Refused(closed.getMessage());
                    }
                    if (closed.getReason() != CloseReason.CLOSE_REASON_MATCH_OVER) {
                        say(closed.getMessage());
                    }
                    if (!closed.getJoinAgain()) {
                        return;
                    }
                    if (ended) {
                        delay = FIRST_DELAY_MS;
                        deadline = now() + GIVE_UP_MS;
                        continue;
                    }
                }
                if (joined || stream.connected && now() > begun + ALIVE_MS) {
                    deadline = now() + GIVE_UP_MS;
                }
                if (played) {
                    delay = FIRST_DELAY_MS;
                }
                if (now() > deadline) {
                    if (over) { // the referee went away after a match was over: nothing is lost
                        return;
                    }
                    throw new BotException.Lost("no referee at " + address + ": " + problem);
                }
                Thread.sleep(ThreadLocalRandom.current().nextLong(delay / 2, delay + 1));
                delay = Math.min(2 * delay, LAST_DELAY_MS);
                channel.shutdownNow(); // a new channel tries at once, an old one has pauses of its own
                channel = open(credentials);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BotException.Lost("interrupted");
        } finally {
            channel.shutdownNow();
        }
    }

    private static void require(String what, String value, String variable) {
        if (value == null || value.isEmpty()) {
            throw new BotException.Setting(
                    "no " + what + ": set the environment variable " + variable + ", or call Bot." + what + "(...)");
        }
    }

    /** TLS, if {@code REFEREE_CA} names the certificate of whoever signed the referee's. */
    private static ChannelCredentials credentials() {
        File authority = file("REFEREE_CA");
        File certificate = file("REFEREE_CERT");
        File key = file("REFEREE_KEY");
        if ((certificate == null) != (key == null) || certificate != null && authority == null) {
            throw new BotException.Setting(
                    "a certificate of the bot's own needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY");
        }
        if (authority == null) {
            return InsecureChannelCredentials.create();
        }
        try {
            TlsChannelCredentials.Builder tls =
                    TlsChannelCredentials.newBuilder().trustManager(authority);
            return (key == null ? tls : tls.keyManager(certificate, key)).build();
        } catch (IOException error) {
            throw unfit(error);
        }
    }

    private static BotException unfit(Exception error) {
        return new BotException.Setting("REFEREE_CA, REFEREE_CERT, REFEREE_KEY: " + error.getMessage()
                + "; they must name PEM files, the key's a PKCS#8 one");
    }

    private static File file(String variable) {
        String path = System.getenv(variable);
        return path == null || path.isEmpty() ? null : new File(path);
    }

    private ManagedChannel open(ChannelCredentials credentials) {
        NettyChannelBuilder channel;
        try {
            channel = NettyChannelBuilder.forTarget(address, credentials);
        } catch (IllegalArgumentException error) { // it reads the certificates
            throw unfit(error);
        }
        channel.directExecutor()
                .disableRetry()
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) LAST_DELAY_MS)
                .keepAliveTime(60, TimeUnit.SECONDS) // finds a referee that is gone
                .keepAliveTimeout(20, TimeUnit.SECONDS);
        if (address.startsWith("127.") || address.startsWith("localhost:") || address.startsWith("[::1]:")) {
            channel.proxyDetector(target -> null); // a proxy could not reach this machine
        }
        return channel.build();
    }

    /** One stream from Join to Closed. What comes waits in a queue for the thread that plays. */
    private final class Stream implements ClientResponseObserver<PlayRequest, PlayResponse> {
        private final BlockingQueue<Object> inbox = new LinkedBlockingQueue<>(); // PlayResponse, or Status at the end
        private ClientCallStreamObserver<PlayRequest> out;
        private volatile boolean connected;

        @Override
        public void beforeStart(ClientCallStreamObserver<PlayRequest> requests) {
            out = requests;
            requests.setOnReadyHandler(() -> connected = true);
        }

        @Override
        public void onNext(PlayResponse response) {
            inbox.add(response);
        }

        @Override
        public void onError(Throwable error) {
            inbox.add(Status.fromThrowable(error));
        }

        @Override
        public void onCompleted() {
            inbox.add(Status.OK.withDescription("the stream ended"));
        }

        /** Plays; null if the stream broke. */
        Closed play(ManagedChannel channel) throws InterruptedException {
            joined = played = ended = false;
            PlayServiceGrpc.newStub(channel).play(this);
            try {
                Join join = Join.newBuilder()
                        .setToken(token)
                        .setClient(CLIENT)
                        .setVersion(version)
                        .build();
                out.onNext(PlayRequest.newBuilder().setJoin(join).build());
                while (true) {
                    Object next = inbox.poll(ALIVE_MS, TimeUnit.MILLISECONDS);
                    if (next instanceof PlayResponse response) {
                        boolean fresh = !joined;
                        for (PlayEvent event : response.getEventsList()) {
                            if (event.getEventCase() != PlayEvent.EventCase.EVENT_NOT_SET) {
                                onEvent.accept(event);
                            }
                            if (event.hasClosed()) {
                                return event.getClosed();
                            }
                            handle(event);
                        }
                        if (fresh && joined) { // after all of the response, so that a listener may load for the match
                            out.onNext(PlayRequest.newBuilder()
                                    .setReady(Ready.getDefaultInstance())
                                    .build());
                        }
                    } else if (next instanceof Status status) {
                        problem = inWords(status);
                        if (FINAL.contains(status.getCode())) {
                            throw new BotException.Refused(problem);
                        }
                        return null;
                    } else if (!connected) {
                        problem = "no answer";
                        return null;
                    }
                }
            } finally {
                out.cancel("done", null);
            }
        }

        private void handle(PlayEvent event) {
            switch (event.getEventCase()) {
                case JOINED -> {
                    joined = true;
                    name = event.getJoined().getName();
                }
                case MATCH_STARTED -> match = new MatchInfo(event.getMatchStarted());
                case TURN -> {
                    played = true;
                    turn = new Turn(event.getTurn(), match);
                    answer();
                }
                case REFUSAL -> {
                    Refusal refusal = event.getRefusal();
                    say("refused: " + refusal.getMessage());
                    if (refusal.getRemedy() == Remedy.REMEDY_ASK_AGAIN
                            && turn != null
                            && refusal.getTurnId() == turn.turnId()) {
                        turn = turn.again(refusal.getMessage());
                        answer();
                    }
                }
                case FAULT -> {
                    if (event.getFault().getSeat() == match.seat()) {
                        say("fault: " + event.getFault().getMessage());
                    }
                }
                case MATCH_ENDED -> ended = true;
                default -> {} // of no concern, or not known
            }
        }

        /** Answers by place if the action is in the list, else by the action as it stands. */
        private void answer() {
            Action action = choose.apply(turn);
            if (action == null) {
                throw new NullPointerException("the bot chose null; it must give an Action: one of turn.legal()");
            }
            Answer.Builder answer = Answer.newBuilder().setTurnId(turn.turnId());
            int place = turn.place(action);
            if (place >= 0) {
                answer.setIndex(place);
            } else {
                answer.setAction(referee.v1.Action.newBuilder().setNotation(action.notation()));
            }
            out.onNext(PlayRequest.newBuilder().setAnswer(answer).build());
        }
    }

    /** With what is at the root of it, if the status tells: gRPC's own words tell less then. */
    private static String inWords(Status status) {
        Throwable cause = status.getCause();
        while (cause != null && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return status.getCode() + ": " + (cause == null ? status.getDescription() : cause);
    }

    private void say(String text) {
        System.err.println(name + ": " + text);
    }

    private static long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }
}
