/// @file
/// Write a domino bot: a function from a turn to one of its actions.
///
///     #include <referee/bot.h>
///
///     int main() {
///       return referee::run([](const referee::Turn& turn) { return turn.legal.front(); });
///     }
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "referee/v1/play.pb.h"

namespace referee {

/// What the SDK tells the referee about itself.
inline constexpr std::string_view client = "referee-bot-cpp 0.1.0";

/// What sort of action an Action is. `other` is one that this version of the SDK does not know; it can be chosen like
/// any.
enum class Kind { play, draw, pass, other };

/// What a seat does in one turn. Two actions are equal if they are written alike.
struct Action {
  std::string notation;              ///< The action in text: `6-5 left`, `6-6`, `7O`, `draw` or `pass`.
  Kind kind = Kind::other;           ///< What sort of action it is.
  std::optional<std::string> piece;  ///< The piece played, such as `6-5` or `7O`.
  std::optional<std::string> arm;    ///< Where the tile goes: `left`, `right`, `up` or `down`. None for the first tile
                                     ///< of a hand, and for cards.

  /// The action that is written so.
  [[nodiscard]] static Action of(std::string notation);
};

inline bool operator==(const Action& one, const Action& other) { return one.notation == other.notation; }
inline bool operator!=(const Action& one, const Action& other) { return !(one == other); }
/// Writes the notation.
inline std::ostream& operator<<(std::ostream& out, const Action& action) { return out << action.notation; }

/// The notation of a piece in a protocol message: 27 is `6-5`, 37 is `7O`. One that is not known is `#999`.
[[nodiscard]] std::string piece_name(int piece);

/// The value of a game's option.
using OptionValue = std::variant<std::int64_t, std::string, bool>;

/// What holds for the whole match.
struct MatchInfo {
  std::string id;                              ///< The match's id.
  std::string game;                            ///< The game's id, such as `domino-belga`.
  std::map<std::string, OptionValue> options;  ///< All options of the game with the values in force.
  std::vector<std::string> names;              ///< The players' names, by seat.
  std::vector<int> sides;    ///< The side each seat plays for: the pair's in `domino-duplas`, else the seat's own.
  int seat = 0;              ///< This bot's seat, from 0.
  int side = 0;              ///< This bot's side. `Turn::points` and `Turn::totals` are by side.
  v1::Format format;         ///< When the match ends and who is placed where.
  v1::MatchStarted message;  ///< The protocol's message, for what is not here.

  MatchInfo() = default;
  /// Reads the protocol's message.
  explicit MatchInfo(v1::MatchStarted started);
};

/// An action in the history of a hand.
struct Past {
  int seat = 0;   ///< The seat that took it.
  Action action;  ///< What it did.
};

/// The lowest and the highest card of an open row.
struct Row {
  std::string low;   ///< The lowest.
  std::string high;  ///< The highest.
};

/// A question of the referee: all that a bot needs to choose by, so it need remember nothing. Lists by seat begin with
/// seat 0, lists by side with side 0. What a game does not have is empty.
struct Turn {
  int id = 0;                              ///< The number of the question, from 1; the same if it is asked again.
  std::shared_ptr<const MatchInfo> match;  ///< What holds for the whole match. Never null.
  std::vector<Action> legal;               ///< All legal actions, at least one. The bot chooses one of them.
  std::vector<std::string> hand;           ///< The bot's own pieces, in deck order.
  std::string game;                        ///< The game's id, such as `domino-belga`.
  int seat = 0;                            ///< The bot's own seat, from 0.
  int players = 0;                         ///< How many seats the match has.
  std::vector<int> seats_in;               ///< The seats that play this hand, in turn order.
  int hand_number = 0;                     ///< The number of the hand in the match, from 0.
  int dealer = 0;                          ///< The seat that dealt this hand.
  int starter = 0;                         ///< The seat that had the first turn of this hand.
  std::vector<int> counts;                 ///< How many pieces each seat holds.
  int stock = 0;                           ///< How many pieces are left to draw.
  std::vector<std::string> table;          ///< All pieces on the table: those laid by the deal, then as they came.
  std::map<std::string, int> ends;         ///< Dominoes: the number to match at each open arm: `left`, `right`, …
  std::optional<std::string> spinner;      ///< Dominoes: the first double played, where the game has such a thing.
  std::map<char, Row> rows;                ///< Cards: each open row, by the letter of its suit.
  std::vector<int> passes_used;            ///< `domino-a-carte`: how many passes each seat has used in this hand.
  std::vector<int> points;                 ///< `domino-belga`: the points scored in this hand so far, by side.
  std::vector<int> totals;                 ///< What the match format counts so far, by side: hands won, or points.
  std::vector<Past> history;               ///< The actions of this hand so far.
  std::optional<std::string> drawn;        ///< The piece that the bot has just drawn, if that was the last action.
  std::optional<int> move_ms;              ///< Milliseconds left of this turn's own time. None: not timed.
  std::optional<int> bank_ms;              ///< Milliseconds left in the bank, used once `move_ms` is. None: no bank.
  std::optional<v1::Refusal> refusal;      ///< Why the last answer to this turn was refused, if it was.
  v1::View view;                           ///< The protocol's message, for what is not here.

  Turn() = default;
  /// Reads the protocol's message.
  Turn(const v1::Turn& message, std::shared_ptr<const MatchInfo> info);
};

/// Why a bot cannot play.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// There is no address or no token, or a certificate cannot be read.
class SettingError : public Error {
  using Error::Error;
};
/// The referee does not accept the bot, for instance because it does not know the token.
class RefusedError : public Error {
  using Error::Error;
};
/// The referee could not be reached for 20 seconds.
class LostError : public Error {
  using Error::Error;
};

/// A bot: gives one of `turn.legal`. Anything else is refused by the referee, and the bot is asked again with the
/// reason in `turn.refusal`, while the time lasts.
using Choose = std::function<Action(const Turn& turn)>;

/// Where and as what a bot plays. All may be left out.
struct Settings {
  std::string address;  ///< The referee's `HOST:PORT`. Default: the environment variable `REFEREE_ADDRESS`.
  std::string token;    ///< The secret that names the seat. Default: the environment variable `REFEREE_TOKEN`.
  std::string version;  ///< The bot's own version; results of different versions are not mixed.
  /// Is called with every event of the stream, in order, before it is dealt with.
  std::function<void(const v1::PlayEvent& event)> on_event;
};

/// Plays until the referee has no more for this bot: one match, or all of a tournament. A broken connection is mended:
/// the bot joins again and gets its open turn again. Refusals and faults are told on standard error. What `choose`
/// throws ends the bot. With TLS, the environment variable `REFEREE_CA` names the PEM file of the authority that signed
/// the referee's certificate; `REFEREE_CERT` and `REFEREE_KEY` name the bot's own, where the referee asks for one.
/// @throws Error if the bot cannot play; see the classes derived from it.
void play(const Choose& choose, const Settings& settings = {});

/// Plays as `play` does, for a `main` to return: 0, or 1 after an Error has been told on standard error.
[[nodiscard]] int run(const Choose& choose, const Settings& settings = {});

}  // namespace referee
