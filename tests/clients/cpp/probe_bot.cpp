// Says on standard output all that a turn tells, and chooses as the test wants it.
#include <referee/bot.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

namespace {

std::string text(const std::string& value) { return value; }
std::string text(int value) { return std::to_string(value); }
std::string text(char value) { return {value}; }
std::string text(const std::optional<std::string>& value) { return value.value_or("-"); }
std::string text(const referee::Row& row) { return row.low + ".." + row.high; }
std::string text(const referee::OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? "True" : "False";
  }
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
}
std::string text(const referee::Action& action) {
  const char* const kinds[] = {"play", "draw", "pass", "other"};
  std::ostringstream out;
  out << action << "/" << kinds[static_cast<int>(action.kind)] << "/" << text(action.piece) << "/" << text(action.arm);
  return out.str();
}
std::string text(const referee::Past& past) { return std::to_string(past.seat) + ":" + text(past.action); }

template <class First, class Second>
std::string text(const std::pair<First, Second>& pair) {
  return text(pair.first) + ":" + text(pair.second);
}

template <class List, class = typename List::const_iterator>
std::string text(const List& list) {
  std::string all;
  for (const auto& each : list) {
    all += (all.empty() ? "" : " ") + text(each);
  }
  return "[" + all + "]";
}

template <class... Facts>
void say(const Facts&... facts) {
  ((std::cout << text(facts) << "|"), ...);
  std::cout << std::endl;
}

referee::Action choose(const std::string& how, const referee::Turn& turn) {
  say(turn.id, turn.game, turn.seat, turn.players, turn.hand, turn.table, turn.counts, turn.seats_in, turn.stock,
      turn.hand_number, turn.dealer, turn.starter, turn.ends, turn.spinner, turn.rows, turn.history, turn.drawn,
      turn.points, turn.totals, turn.passes_used, int{turn.move_ms.has_value()}, int{turn.bank_ms.has_value()},
      turn.legal, turn.refusal ? turn.refusal->message() : std::string("-"), turn.match->id, turn.match->options,
      turn.match->format.kind(), turn.match->names, turn.match->sides, turn.match->seat, turn.match->side,
      static_cast<int>(turn.view.turn()));
  if (how == "crash") {
    throw std::runtime_error("a mistake");
  }
  if (how == "foreign" && turn.id < 7 && !turn.refusal) {
    return referee::Action::of("6-6 left");
  }
  return how == "last" ? turn.legal.back() : turn.legal.front();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string how = count > 1 ? arguments[1] : "first";
  if (how == "pieces") {
    for (int piece = -1; piece < 125; ++piece) {
      say(piece, referee::piece_name(piece), referee::Action::of(referee::piece_name(piece)));
    }
    return EXIT_SUCCESS;
  }
  referee::Settings settings;
  settings.version = "7";
  settings.on_event = [](const referee::v1::PlayEvent& event) {
    std::cout << "event " << event.GetDescriptor()->FindFieldByNumber(event.event_case())->name() << std::endl;
  };
  return referee::run([&](const referee::Turn& turn) { return choose(how, turn); }, settings);
}
