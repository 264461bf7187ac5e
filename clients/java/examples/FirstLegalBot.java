import referee.bot.Bot;

/** The smallest bot: always the first legal action. */
final class FirstLegalBot {
    public static void main(String[] args) {
        Bot.run(turn -> turn.legal().get(0));
    }
}
