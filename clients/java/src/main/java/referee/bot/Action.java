package referee.bot;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a seat does in one turn.
 *
 * @param notation the action in text: {@code 6-5 left}, {@code 6-6}, {@code 7O}, {@code draw} or {@code pass}
 * @param kind what is done
 * @param piece the piece played, such as {@code 6-5} or {@code 7O}; empty if none is
 * @param arm where the tile goes: {@code left}, {@code right}, {@code up} or {@code down}; empty for the first tile of a
 *     hand and for cards
 */
public record Action(String notation, Kind kind, Optional<String> piece, Optional<String> arm) {
    /** The kinds of actions. */
    public enum Kind {
        /** A piece is played. */
        PLAY,
        /** A piece is drawn from the stock. */
        DRAW,
        /** The turn is passed. */
        PASS,
        /** Something that this library is too old to know. It may be chosen all the same. */
        OTHER
    }

    private static final Pattern PIECE = Pattern.compile("[0-6]-[0-6]|([1-7]|1[0-2])[OCEB]|[A2-9TJQK][DHSC]");

    /**
     * The action that is written so.
     *
     * @param notation the text, as in {@link #notation()}
     * @return the action; equal to the one of {@link Turn#legal()} that has the same notation
     */
    public static Action of(String notation) {
        String[] words = notation.split(" ", 2);
        if (PIECE.matcher(words[0]).matches()) {
            return new Action(
                    notation,
                    Kind.PLAY,
                    Optional.of(words[0]),
                    Optional.ofNullable(words.length > 1 ? words[1] : null));
        }
        Kind kind = notation.equals("draw") ? Kind.DRAW : notation.equals("pass") ? Kind.PASS : Kind.OTHER;
        return new Action(notation, kind, Optional.empty(), Optional.empty());
    }

    /** The notation. */
    @Override
    public String toString() {
        return notation;
    }
}
