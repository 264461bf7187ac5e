package referee.bot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import referee.v1.Format;
import referee.v1.MatchStarted;
import referee.v1.Option;
import referee.v1.Seat;

/**
 * What holds for the whole match.
 *
 * @param message the protocol's own message, for what is not here
 */
public record MatchInfo(MatchStarted message) {
    /** {@return the match's id} */
    public String id() {
        return message.getMatchId();
    }

    /** {@return the game's id, such as {@code domino-belga}} */
    public String game() {
        return message.getGame();
    }

    /** {@return all options of the game by name, with the values in force: a Long, a String or a Boolean} */
    public Map<String, Object> options() {
        Map<String, Object> options = new LinkedHashMap<>();
        for (Option option : message.getOptionsList()) {
            options.put(
                    option.getName(),
                    switch (option.getValueCase()) {
                        case NUMBER -> option.getNumber();
                        case FLAG -> option.getFlag();
                        default -> option.getText();
                    });
        }
        return options;
    }

    /** {@return when the match ends and who is placed where} */
    public Format format() {
        return message.getFormat();
    }

    /** {@return the players' names, by seat} */
    public List<String> names() {
        return message.getSeatsList().stream().map(Seat::getName).toList();
    }

    /** {@return the side that each seat plays for: the pair's number in {@code domino-duplas}, else the seat's own} */
    public List<Integer> sides() {
        return message.getSeatsList().stream().map(Seat::getSide).toList();
    }

    /** {@return this bot's seat, from 0} */
    public int seat() {
        return message.getSeat();
    }

    /** {@return this bot's side, from 0: its place in {@link Turn#points()} and {@link Turn#totals()}} */
    public int side() {
        return seat() < message.getSeatsCount() ? message.getSeats(seat()).getSide() : seat();
    }
}
