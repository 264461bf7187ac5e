import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import referee.bot.Action;
import referee.bot.Bot;
import referee.bot.Turn;

/**
 * A random bot whose choices can be repeated, in any language.
 *
 * <p>The place chosen is the first 8 bytes (big-endian) of SHA-256 of "MATCH_ID/TURN_ID", modulo the number of legal
 * actions.
 */
final class RandomBot {
    static Action choose(Turn turn) {
        String text = turn.match().id() + "/" + Integer.toUnsignedString(turn.turnId());
        long number = ByteBuffer.wrap(sha256(text)).getLong();
        return turn.legal()
                .get((int) Long.remainderUnsigned(number, turn.legal().size()));
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException impossible) { // every Java has it
            throw new AssertionError(impossible);
        }
    }

    public static void main(String[] args) {
        Bot.run(RandomBot::choose);
    }
}
