import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import referee.bot.Action;
import referee.bot.Bot;
import referee.bot.Turn;

/** Says on standard output all that a turn tells, and chooses as the test wants it. */
final class ProbeBot {
    public static void main(String[] args) {
        Bot.of(turn -> {
                    System.out.println(facts(turn));
                    return choose(args[0], turn);
                })
                .version("7")
                .onEvent(event -> System.out.println("event " + event.getEventCase()))
                .play();
    }

    static Action choose(String how, Turn turn) {
        switch (how) {
            case "random":
                return RandomBot.choose(turn);
            case "null":
                return null;
            case "crash":
                throw new ArithmeticException("a mistake");
            case "foreign": // at first nothing of the list, then what was refused is mended
                return turn.refusal().isEmpty() && turn.turnId() < 7
                        ? Action.of("6-6 left")
                        : Action.of(turn.legal().get(0).notation());
            default:
                return turn.legal().get(turn.legal().size() - 1);
        }
    }

    static String facts(Turn turn) {
        return Stream.of(
                        turn.turnId(),
                        turn.game(),
                        turn.seat(),
                        turn.players(),
                        turn.hand(),
                        turn.table(),
                        turn.counts(),
                        turn.seatsIn(),
                        turn.stock(),
                        turn.handNumber(),
                        turn.dealer(),
                        turn.starter(),
                        turn.ends(),
                        turn.spinner().orElse("-"),
                        turn.rows().entrySet().stream()
                                .map(row -> row.getKey() + ":" + row.getValue().low() + ".." + row.getValue().high())
                                .toList(),
                        turn.history().stream()
                                .map(past -> past.seat() + ":" + parts(past.action()))
                                .toList(),
                        turn.drawn().orElse("-"),
                        turn.points(),
                        turn.totals(),
                        turn.passesUsed(),
                        turn.moveMs().isPresent(),
                        turn.bankMs().isPresent(),
                        turn.legal().stream().map(ProbeBot::parts).toList(),
                        turn.refusal().orElse("-"),
                        turn.match().id(),
                        turn.match().options(),
                        turn.match().format().getKind(),
                        turn.match().names(),
                        turn.match().sides(),
                        turn.match().seat(),
                        turn.match().side(),
                        turn.view().getTurn())
                .map(String::valueOf)
                .collect(Collectors.joining("|"));
    }

    static String parts(Action action) {
        return String.join(
                "/",
                List.of(
                        action.notation(),
                        action.kind().name().toLowerCase(),
                        action.piece().orElse("-"),
                        action.arm().orElse("-")));
    }
}
