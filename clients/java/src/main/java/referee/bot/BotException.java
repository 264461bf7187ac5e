package referee.bot;

/** The bot cannot play. */
public sealed class BotException extends RuntimeException {
    private static final long serialVersionUID = 1;

    BotException(String message) {
        super(message);
    }

    /** The address or the token is missing, or a certificate cannot be read. */
    public static final class Setting extends BotException {
        private static final long serialVersionUID = 1;

        Setting(String message) {
            super(message);
        }
    }

    /** The referee does not accept the bot, for instance because it does not know the token. */
    public static final class Refused extends BotException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    /** The referee cannot be reached (any more). */
    public static final class Lost extends BotException {
        private static final long serialVersionUID = 1;

        Lost(String message) {
            super(message);
        }
    }
}
