#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "referee/bot.h"
#include "referee/v1/play.grpc.pb.h"

namespace referee {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// How long the bot pauses, first and at most, before it joins again; how long it tries; and how long an open stream
// must have lived to be no mere attempt: a bot may wait long, and hear nothing, until it gets a seat.
constexpr std::chrono::milliseconds first_delay = 50ms;
constexpr std::chrono::milliseconds last_delay = 2s;
constexpr std::chrono::milliseconds give_up = 20s;
constexpr std::chrono::milliseconds alive = 5s;

// Whether a call that ends so would end so again.
bool is_final(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::UNIMPLEMENTED:
      return true;
    default:
      return false;
  }
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets a variable
  return value == nullptr ? "" : value;
}

std::string setting(const std::string& value, const std::string& name, const char* from) {
  auto found = value.empty() ? variable(from) : value;
  if (found.empty()) {
    throw SettingError("no " + name + ": set the environment variable " + from + ", or Settings::" + name);
  }
  return found;
}

std::string own_name() {
  auto name = variable("REFEREE_NAME");
  return name.empty() ? "bot" : name;
}

// The content of the file that an environment variable names; none if it is not set.
std::string file(const std::string& from) {
  const auto path = variable(from.c_str());
  std::ostringstream content;
  if (!path.empty() && !(content << std::ifstream(path, std::ios::binary).rdbuf())) {
    throw SettingError(from + "=" + path + ": cannot be read, or is empty; it must name a PEM file");
  }
  return content.str();
}

// TLS, if `REFEREE_CA` names the certificate of whoever signed the referee's.
std::shared_ptr<grpc::ChannelCredentials> credentials() {
  const grpc::SslCredentialsOptions tls{file("REFEREE_CA"), file("REFEREE_KEY"), file("REFEREE_CERT")};
  if (tls.pem_cert_chain.empty() != tls.pem_private_key.empty() ||
      (tls.pem_root_certs.empty() && !tls.pem_private_key.empty())) {
    throw SettingError("a certificate of the bot's own needs all of REFEREE_CA, REFEREE_CERT and REFEREE_KEY");
  }
  return tls.pem_root_certs.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(tls);
}

std::shared_ptr<grpc::Channel> open(const std::string& address) {
  grpc::ChannelArguments options;
  const auto starts = [&](std::string_view start) { return address.compare(0, start.size(), start) == 0; };
  if (starts("127.") || starts("localhost:") || starts("[::1]:")) {
    options.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // gRPC would send even this through an `http_proxy`
  }
  options.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, first_delay.count());
  options.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, last_delay.count());  // the time that an attempt has
  options.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, last_delay.count());
  options.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  options.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);  // pings find a referee that is gone
  options.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  options.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return grpc::CreateCustomChannel(address, credentials(), options);
}

class Player {
 public:
  Player(const Choose& choose, const Settings& settings)
      : choose_(choose),
        settings_(settings),
        address_(setting(settings.address, "address", "REFEREE_ADDRESS")),
        token_(setting(settings.token, "token", "REFEREE_TOKEN")),
        channel_(open(address_)),
        stub_(v1::PlayService::NewStub(channel_)) {}

  // Plays stream after stream, until there is no more to play.
  void play() {
    auto delay = first_delay;
    auto deadline = Clock::now() + give_up;
    bool over = false;
    while (true) {
      const auto closed = stream(deadline);
      over = ended_ || (over && !joined_);
      if (closed && is_last(*closed, over)) {
        return;
      }
      if (closed && ended_) {
        delay = first_delay;
        deadline = Clock::now() + give_up;
        continue;
      }
      if (joined_ || (opened_ && Clock::now() > *opened_ + alive)) {
        deadline = Clock::now() + give_up;
      }
      if (played_) {
        delay = first_delay;
      }
      if (Clock::now() > deadline) {
        if (over) {  // the referee went away after a match was over: nothing is lost
          return;
        }
        throw LostError("no referee at " + address_ + ": " + problem_);
      }
      std::this_thread::sleep_for(std::uniform_real_distribution(0.5, 1.0)(random_) * delay);
      delay = std::min(2 * delay, last_delay);
    }
  }

 private:
  using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

  // Whether there is no more to play after a stream that was closed so.
  [[nodiscard]] bool is_last(const v1::Closed& closed, bool over) const {
    if (closed.reason() == v1::CLOSE_REASON_REFUSED && !over) {
      throw RefusedError("refused by the referee: " + closed.message());
    }
    if (closed.reason() != v1::CLOSE_REASON_MATCH_OVER) {
      say(closed.message());
    }
    return !closed.join_again();
  }

  // One stream from Join to Closed; none if it broke.
  std::optional<v1::Closed> stream(Clock::time_point deadline) {
    joined_ = played_ = ended_ = false;
    opened_.reset();
    grpc::ClientContext context;  // its end is the call's
    const auto after = [](Clock::duration time) { return std::chrono::system_clock::now() + time; };
    if (!channel_->WaitForConnected(after(deadline - Clock::now()))) {  // gRPC makes the pauses between its attempts
      context.set_deadline(after(1s));                                  // only to hear why
    }
    const auto call = stub_->Play(&context);
    v1::PlayRequest request;
    request.mutable_join()->set_token(token_);
    request.mutable_join()->set_client(std::string(client));
    request.mutable_join()->set_version(settings_.version);
    if (call->Write(request)) {
      opened_ = Clock::now();
    }
    v1::PlayResponse response;
    while (call->Read(&response)) {
      const bool fresh = !joined_;
      for (const auto& event : response.events()) {
        if (settings_.on_event && event.event_case() != v1::PlayEvent::EVENT_NOT_SET) {
          settings_.on_event(event);
        }
        if (event.has_closed()) {
          problem_ = event.closed().message();
          return event.closed();
        }
        handle(event, *call);
      }
      if (fresh && joined_) {  // after all of the response, so that `on_event` may load what the match needs
        v1::PlayRequest ready;
        ready.mutable_ready();
        call->Write(ready);
      }
    }
    const auto status = call->Finish();
    problem_ = status.ok() ? "the stream ended"
                           : status.error_message() + " (gRPC status " + std::to_string(status.error_code()) + ")";
    if (is_final(status.error_code())) {
      throw RefusedError("refused by the referee: " + problem_);
    }
    return std::nullopt;
  }

  void handle(const v1::PlayEvent& event, Stream& call) {
    switch (event.event_case()) {
      case v1::PlayEvent::kJoined:
        joined_ = true;
        name_ = event.joined().name();
        break;
      case v1::PlayEvent::kMatchStarted:
        match_ = std::make_shared<MatchInfo>(event.match_started());
        break;
      case v1::PlayEvent::kTurn:
        played_ = true;
        turn_ = Turn(event.turn(), match_);
        answer(call);
        break;
      case v1::PlayEvent::kRefusal:
        say("refused: " + event.refusal().message());
        if (event.refusal().remedy() == v1::REMEDY_ASK_AGAIN && turn_ &&
            static_cast<int>(event.refusal().turn_id()) == turn_->id) {
          turn_->refusal = event.refusal();
          answer(call);
        }
        break;
      case v1::PlayEvent::kFault:
        if (static_cast<int>(event.fault().seat()) == match_->seat) {
          say("fault: " + event.fault().message());
        }
        break;
      case v1::PlayEvent::kMatchEnded:
        ended_ = true;
        break;
      default:  // of no concern, or not known
        break;
    }
  }

  // Answers by place if the action is in the list, else by the action as it stands.
  void answer(Stream& call) {
    const Action action = choose_(*turn_);
    v1::PlayRequest request;
    auto& answer = *request.mutable_answer();
    answer.set_turn_id(turn_->id);
    const auto place = std::find(turn_->legal.begin(), turn_->legal.end(), action);
    if (place != turn_->legal.end()) {
      answer.set_index(place - turn_->legal.begin());
    } else {
      answer.mutable_action()->set_notation(action.notation);
    }
    call.Write(request);  // if it fails, so does Read, and Finish tells why
  }

  void say(const std::string& text) const { std::cerr << name_ + ": " + text + "\n" << std::flush; }

  const Choose& choose_;
  const Settings& settings_;
  std::string address_;
  std::string token_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::PlayService::Stub> stub_;
  std::string name_ = own_name();
  std::string problem_;
  std::shared_ptr<const MatchInfo> match_ = std::make_shared<MatchInfo>();
  std::optional<Turn> turn_;                 // the last one
  std::optional<Clock::time_point> opened_;  // when the last stream was, if it was
  bool joined_ = false;                      // whether it took the seat
  bool played_ = false;                      // whether it had a turn
  bool ended_ = false;                       // whether it saw the end of the match
  std::default_random_engine random_{std::random_device{}()};
};

}  // namespace

void play(const Choose& choose, const Settings& settings) { Player(choose, settings).play(); }

int run(const Choose& choose, const Settings& settings) {
  try {
    play(choose, settings);
    return EXIT_SUCCESS;
  } catch (const Error& error) {
    std::cerr << own_name() + ": " + error.what() + "\n" << std::flush;
    return EXIT_FAILURE;
  }
}

}  // namespace referee
