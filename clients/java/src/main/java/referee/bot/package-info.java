/**
 * Write a domino bot: a function from a {@link referee.bot.Turn} to one of its {@linkplain referee.bot.Turn#legal()
 * legal actions}. {@link referee.bot.Bot#run} plays it.
 */
package referee.bot;
