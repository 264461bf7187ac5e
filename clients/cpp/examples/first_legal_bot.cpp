// The smallest bot: always the first legal action.
#include <referee/bot.h>

int main() {
  return referee::run([](const referee::Turn& turn) { return turn.legal.front(); });
}
