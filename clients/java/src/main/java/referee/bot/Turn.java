package referee.bot;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import referee.v1.ActionKind;
import referee.v1.ClockState;
import referee.v1.History;
import referee.v1.Line;
import referee.v1.Rows;
import referee.v1.View;

/**
 * A question of the referee: all that a bot needs to choose by, so it need remember nothing.
 *
 * <p>Lists by seat begin with seat 0, lists by side with side 0. What a game does not have is empty.
 *
 * @param message the protocol's own message, which all of this is read from
 * @param match what holds for the whole match
 * @param legal all legal actions, at least one; the bot chooses one of them
 * @param refusal why the last answer to this turn was refused
 */
public record Turn(referee.v1.Turn message, MatchInfo match, List<Action> legal, Optional<String> refusal) {
    private static final Map<Integer, String> PIECES = new HashMap<>();
    private static final String[] ARMS = {"", " left", " right", " up", " down"};

    static {
        for (int high = 0, number = 1; high <= 6; high++) {
            for (int low = 0; low <= high; low++) {
                PIECES.put(number++, high + "-" + low);
            }
        }
        putCards(31, "OCEB", "1 2 3 4 5 6 7 10 11 12".split(" "));
        putCards(71, "DHSC", "A23456789TJQK".split(""));
    }

    private static void putCards(int number, String suits, String[] ranks) {
        for (String suit : suits.split("")) {
            for (String rank : ranks) {
                PIECES.put(number++, rank + suit);
            }
        }
    }

    /**
     * The lowest and the highest card of an open row.
     *
     * @param low the lowest, such as {@code 4O}
     * @param high the highest, such as {@code 7O}
     */
    public record Row(String low, String high) {}

    /**
     * An action that was taken.
     *
     * @param seat who took it
     * @param action what was done
     */
    public record Past(int seat, Action action) {}

    Turn(referee.v1.Turn message, MatchInfo match) {
        this(
                message,
                match,
                message.getLegalList().stream()
                        .map(action -> Action.of(action.getNotation()))
                        .toList(),
                Optional.empty());
    }

    /**
     * The notation of a piece in a protocol message.
     *
     * @param number the piece's number: {@code Piece.getNumber()}
     * @return the notation: 27 is {@code 6-5}, 37 is {@code 7O}
     */
    public static String pieceName(int number) {
        return PIECES.getOrDefault(number, "#" + number);
    }

    /** {@return the number of the question; the same if it is asked again} */
    public int turnId() {
        return message.getTurnId();
    }

    /** {@return what the seat may see, as the protocol has it} */
    public View view() {
        return message.getView();
    }

    /** {@return the game's id, such as {@code domino-belga}} */
    public String game() {
        return match.game();
    }

    /** {@return the bot's own seat, from 0} */
    public int seat() {
        return view().getSeat();
    }

    /** {@return the bot's own pieces, in deck order} */
    public List<String> hand() {
        return names(view().getPiecesValueList());
    }

    /** {@return all pieces on the table: those laid by the deal, then the others as they came} */
    public List<String> table() {
        return names(view().getTableValueList());
    }

    /** {@return how many seats the match has} */
    public int players() {
        return view().getPieceCountsCount();
    }

    /** {@return how many pieces each seat holds} */
    public List<Integer> counts() {
        return view().getPieceCountsList();
    }

    /** {@return the seats that play this hand, in turn order from the lowest; who is out of the match is missing} */
    public List<Integer> seatsIn() {
        return view().getSeatsInList();
    }

    /** {@return how many pieces are left to draw} */
    public int stock() {
        return view().getStockSize();
    }

    /** {@return the number of the hand in the match, from 0} */
    public int handNumber() {
        return view().getHand();
    }

    /** {@return the seat that dealt this hand} */
    public int dealer() {
        return view().getDealer();
    }

    /** {@return the seat that had the first turn of this hand} */
    public int starter() {
        return view().getStarter();
    }

    /** {@return dominoes: the number to match at each open arm: {@code left}, {@code right}, {@code up}, {@code down}} */
    public Map<String, Integer> ends() {
        Line line = view().getLine();
        Map<String, Integer> ends = new LinkedHashMap<>();
        ends.put("left", line.hasLeftEnd() ? line.getLeftEnd() : null);
        ends.put("right", line.hasRightEnd() ? line.getRightEnd() : null);
        ends.put("up", line.hasUpEnd() ? line.getUpEnd() : null);
        ends.put("down", line.hasDownEnd() ? line.getDownEnd() : null);
        ends.values().removeIf(Objects::isNull);
        return ends;
    }

    /** {@return dominoes: the first double played, where the game has such a thing} */
    public Optional<String> spinner() {
        return Optional.ofNullable(PIECES.get(view().getLine().getSpinnerValue()));
    }

    /** {@return cards: the lowest and the highest card of each open row, by suit letter} */
    public Map<String, Row> rows() {
        Rows rows = view().getRows();
        Map<String, Row> open = new LinkedHashMap<>();
        for (int i = 0; i < Math.min(rows.getLowCount(), rows.getHighCount()); i++) {
            String low = PIECES.get(rows.getLowValue(i));
            if (low != null) {
                open.put(low.substring(low.length() - 1), new Row(low, pieceName(rows.getHighValue(i))));
            }
        }
        return open;
    }

    /** {@return the actions of this hand so far, each with the seat that took it} */
    public List<Past> history() {
        History log = view().getHistory();
        return IntStream.range(0, log.getSeatsCount())
                .mapToObj(i -> past(log, i))
                .toList();
    }

    /** {@return the piece that the bot has just drawn, if that was the last action} */
    public Optional<String> drawn() {
        return Optional.ofNullable(PIECES.get(view().getDrawnValue()));
    }

    /** {@return {@code domino-belga}: the points scored in this hand so far, by side} */
    public List<Integer> points() {
        return view().getHandPointsList();
    }

    /** {@return what the match format counts so far, by side: hands won, or points} */
    public List<Integer> totals() {
        return view().getTotalsList();
    }

    /** {@return {@code domino-a-carte}: how many passes each seat has used in this hand} */
    public List<Integer> passesUsed() {
        return view().getPassesUsedList();
    }

    /** {@return milliseconds left of this turn's own time when the referee asked; empty: not timed} */
    public OptionalInt moveMs() {
        ClockState clock = message.getClock();
        return clock.hasMoveMs() ? OptionalInt.of(clock.getMoveMs()) : OptionalInt.empty();
    }

    /** {@return milliseconds left in the bank, used once {@link #moveMs} is; empty: there is no bank} */
    public OptionalInt bankMs() {
        ClockState clock = message.getClock();
        return clock.hasBankMs() ? OptionalInt.of(clock.getBankMs()) : OptionalInt.empty();
    }

    /** The same question, asked again because of a refusal. */
    Turn again(String reason) {
        return new Turn(message, match, legal, Optional.of(reason));
    }

    /** The place of an action in the list, or -1: of the very object, since what is not known may look alike. */
    int place(Action action) {
        return IntStream.range(0, legal.size())
                .filter(i -> legal.get(i) == action)
                .findFirst()
                .orElse(legal.indexOf(action));
    }

    private static Past past(History log, int i) {
        String arm = log.getArmsValue(i) < ARMS.length ? ARMS[log.getArmsValue(i)] : "";
        String notation = switch (log.getKindsValue(i)) {
            case ActionKind.ACTION_KIND_PLAY_VALUE -> pieceName(log.getPiecesValue(i)) + arm;
            case ActionKind.ACTION_KIND_DRAW_VALUE -> "draw";
            case ActionKind.ACTION_KIND_PASS_VALUE -> "pass";
            default -> "other";
        };
        return new Past(log.getSeats(i), Action.of(notation));
    }

    private static List<String> names(List<Integer> pieces) {
        return pieces.stream().map(Turn::pieceName).toList();
    }
}
