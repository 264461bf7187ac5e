// A random bot whose choices can be repeated, in any language.
//
// The place chosen is the first 8 bytes (big-endian) of SHA-256 of "MATCH_ID/TURN_ID", modulo the number of legal
// actions.
#include <openssl/sha.h>
#include <referee/bot.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

/// An action by chance: the same in the same turn of the same match.
referee::Action choose(const referee::Turn& turn) {
  const std::string text = turn.match->id + "/" + std::to_string(turn.id);
  const std::vector<unsigned char> bytes(text.begin(), text.end());
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(bytes.data(), bytes.size(), digest.data());
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = number << 8 | digest.at(i);
  }
  return turn.legal[number % turn.legal.size()];
}

}  // namespace

int main() { return referee::run(choose); }
