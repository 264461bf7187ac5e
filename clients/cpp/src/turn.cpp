#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "referee/bot.h"

namespace referee {
namespace {

constexpr std::array arms{"left", "right", "up", "down"};
constexpr std::string_view spanish_suits = "OCEB";
constexpr std::string_view french_suits = "DHSC";
constexpr std::string_view french_ranks = "A23456789TJQK";

std::optional<std::string> known(int piece) {
  constexpr int tile = v1::PIECE_TILE_0_0;
  constexpr int spanish = v1::PIECE_SPANISH_OROS_1;
  constexpr int french = v1::PIECE_FRENCH_DIAMONDS_ACE;
  if (piece >= tile && piece <= v1::PIECE_TILE_6_6) {
    int high = 0;
    int low = piece - tile;
    while (low > high) {
      low -= ++high;
    }
    return std::to_string(high) + "-" + std::to_string(low);
  }
  if (piece >= spanish && piece <= v1::PIECE_SPANISH_BASTOS_12) {
    const auto [suit, rank] = std::div(piece - spanish, 10);
    return std::to_string(rank < 7 ? rank + 1 : rank + 3) + spanish_suits[suit];
  }
  if (piece >= french && piece <= v1::PIECE_FRENCH_CLUBS_KING) {
    const auto [suit, rank] = std::div(piece - french, 13);
    return std::string{french_ranks[rank], french_suits[suit]};
  }
  return std::nullopt;
}

bool is_piece(const std::string& name) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (int piece = v1::Piece_MIN; piece <= v1::Piece_MAX; ++piece) {
      if (auto known_name = known(piece)) {
        all.insert(*std::move(known_name));
      }
    }
    return all;
  }();
  return names.count(name) > 0;
}

Action taken(int kind, int piece, int arm) {
  switch (kind) {
    case v1::ACTION_KIND_PLAY: {
      Action action{piece_name(piece), Kind::play, piece_name(piece), std::nullopt};
      if (arm >= v1::ARM_LEFT && arm <= v1::ARM_DOWN) {
        action.arm = arms.at(arm - v1::ARM_LEFT);
        action.notation += " " + *action.arm;
      }
      return action;
    }
    case v1::ACTION_KIND_DRAW:
      return Action::of("draw");
    case v1::ACTION_KIND_PASS:
      return Action::of("pass");
    default:
      return Action::of("#" + std::to_string(kind));
  }
}

template <class List>
std::vector<std::string> pieces(const List& list) {
  std::vector<std::string> names;
  std::transform(list.begin(), list.end(), std::back_inserter(names), piece_name);
  return names;
}

template <class List>
std::vector<int> numbers(const List& list) {
  return {list.begin(), list.end()};
}

}  // namespace

std::string piece_name(int piece) { return known(piece).value_or("#" + std::to_string(piece)); }

Action Action::of(std::string notation) {
  const auto space = notation.find(' ');
  const auto piece = notation.substr(0, space);
  Action action;
  if (is_piece(piece)) {
    action.kind = Kind::play;
    action.piece = piece;
    if (space != std::string::npos) {
      action.arm = notation.substr(space + 1);
    }
  } else if (notation == "draw") {
    action.kind = Kind::draw;
  } else if (notation == "pass") {
    action.kind = Kind::pass;
  }
  action.notation = std::move(notation);
  return action;
}

MatchInfo::MatchInfo(v1::MatchStarted started)
    : id(started.match_id()),
      game(started.game()),
      seat(static_cast<int>(started.seat())),
      side(seat),
      format(started.format()),
      message(std::move(started)) {
  for (const auto& option : message.options()) {
    if (option.has_number()) {
      options.emplace(option.name(), option.number());
    } else if (option.has_text()) {
      options.emplace(option.name(), option.text());
    } else if (option.has_flag()) {
      options.emplace(option.name(), option.flag());
    }
  }
  for (const auto& each : message.seats()) {
    names.push_back(each.name());
    sides.push_back(static_cast<int>(each.side()));
  }
  if (static_cast<std::size_t>(seat) < sides.size()) {
    side = sides[seat];
  }
}

Turn::Turn(const v1::Turn& message, std::shared_ptr<const MatchInfo> info)
    : id(static_cast<int>(message.turn_id())),
      match(std::move(info)),
      hand(pieces(message.view().pieces())),
      game(match->game),
      seat(static_cast<int>(message.view().seat())),
      players(message.view().piece_counts_size()),
      seats_in(numbers(message.view().seats_in())),
      hand_number(static_cast<int>(message.view().hand())),
      dealer(static_cast<int>(message.view().dealer())),
      starter(static_cast<int>(message.view().starter())),
      counts(numbers(message.view().piece_counts())),
      stock(static_cast<int>(message.view().stock_size())),
      table(pieces(message.view().table())),
      spinner(known(message.view().line().spinner())),
      passes_used(numbers(message.view().passes_used())),
      points(numbers(message.view().hand_points())),
      totals(numbers(message.view().totals())),
      drawn(known(message.view().drawn())),
      view(message.view()) {
  for (const auto& action : message.legal()) {  // one without text is still another action than the others
    legal.push_back(Action::of(action.notation().empty() ? "#" + std::to_string(legal.size()) : action.notation()));
  }
  const auto& line = view.line();
  const std::array open{line.has_left_end(), line.has_right_end(), line.has_up_end(), line.has_down_end()};
  const std::array values{line.left_end(), line.right_end(), line.up_end(), line.down_end()};
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    if (open.at(arm)) {
      ends.emplace(arms.at(arm), values.at(arm));
    }
  }
  const auto& suits = view.rows();
  for (int i = 0; i < std::min(suits.low_size(), suits.high_size()); ++i) {
    const auto low = known(suits.low(i));
    const auto high = known(suits.high(i));
    if (low && high) {
      rows.emplace(low->back(), Row{*low, *high});
    }
  }
  const auto& past = view.history();
  const int length = std::min({past.seats_size(), past.kinds_size(), past.pieces_size(), past.arms_size()});
  for (int i = 0; i < length; ++i) {
    history.push_back({static_cast<int>(past.seats(i)), taken(past.kinds(i), past.pieces(i), past.arms(i))});
  }
  if (message.clock().has_move_ms()) {
    move_ms = static_cast<int>(message.clock().move_ms());
  }
  if (message.clock().has_bank_ms()) {
    bank_ms = static_cast<int>(message.clock().bank_ms());
  }
}

}  // namespace referee
