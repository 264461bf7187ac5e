"""The C++ client plays against the real server, and against one that says what no server says yet."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from client_kit.scripts import Patience, Scripts
from client_kit.suite import Plays, Probes
from client_kit.tls import Tls
from client_kit.tools import DUEL, ROOT, Client, alone, facts, flawless, need, tool

pytestmark = pytest.mark.timeout(900)  # the first to need the build waits for it

CLIENT = ROOT / "clients" / "cpp"
BUILD = CLIENT / "build"


def missing():
    """What the build needs and the machine has not, if anything."""
    compiler = os.environ.get("CXX", "c++")
    tools = {"cmake": "cmake", compiler: "build-essential", "protoc": "protobuf-compiler"}
    tools |= {"grpc_cpp_plugin": "protobuf-compiler-grpc"}
    for name, package in tools.items():
        if shutil.which(name) is None:
            return f"no `{name}` on the PATH (Debian: {package})"
    for header, package in {"grpcpp/grpcpp.h": "libgrpc++-dev", "google/protobuf/message.h": "libprotobuf-dev"}.items():
        code = f"#if !__has_include(<{header}>)\n#error missing\n#endif\n"
        looked = subprocess.run(
            [compiler, "-E", "-x", "c++", "-"], input=code, capture_output=True, text=True, check=False
        )
        if looked.returncode != 0:
            return f"no <{header}> (Debian: {package})"
    return None


@pytest.fixture(scope="session")
def examples():
    """The commands of the examples: built as the README says, and installed into `prefix`."""
    need("C++", missing())
    with alone(BUILD / ".lock"):
        tool("cmake", "-S", "clients/cpp", "-B", "clients/cpp/build")
        tool("cmake", "--build", "clients/cpp/build")
        tool("cmake", "--install", "clients/cpp/build", "--prefix", "clients/cpp/build/prefix")
    return {name: [BUILD / name] for name in ("random_bot", "first_legal_bot")}


@pytest.fixture(scope="session")
def own_bot(examples):
    """Builds a bot from its source in a project of its own, the one in the README: its path."""
    [project] = re.findall(r"```cmake\n(.*?)```", (CLIENT / "README.md").read_text(), re.S)

    def make(name, source):
        folder = BUILD / "own" / name
        with alone(folder / ".lock"):
            for path, text in ((folder / "my_bot.cpp", source), (folder / "CMakeLists.txt", project)):
                if not path.exists() or path.read_text() != text:
                    path.write_text(text)
            flags = "-DCMAKE_CXX_FLAGS=-std=c++17 -Wall -Wextra -Wpedantic -Werror"
            tool("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={BUILD / 'prefix'}", flags, folder=folder)
            tool("cmake", "--build", "build", folder=folder)
        return folder / "build" / "my_bot"

    return make


@pytest.fixture(scope="session")
def client(examples, own_bot):
    """The client, with the test's own bot."""
    return Client(
        "cpp",
        examples,
        probe=[own_bot("probe", Path(__file__).with_name("probe_bot.cpp").read_text())],
        facts=lambda turn: "".join(f"{said(each)}|" for each in facts(turn, sorted)),
        unknown_token="one: refused by the referee: unknown token",
        unimplemented="gRPC status 12",
        lost=["no referee at {}: ", "refused"],  # by the machine: the reason that gRPC gives
        distrust=("certificate verify failed", "Peer name 127.0.0.1 is not in peer certificate"),
    )


def said(value):
    """A value as the probe says it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, dict):
        value = [f"{key}:{each}" for key, each in sorted(value.items())]
    if isinstance(value, list | tuple):
        return f"[{' '.join(map(str, value))}]"
    return str(value)


class TestCpp(Plays, Probes, Scripts, Patience, Tls):
    """What every client must do."""

    def check_what_was_told(self, told):
        """Of a turn with what nobody knows yet."""
        assert told[2:5] == ["0", "0", "[0-0 #200]"]
        assert told[12:14] == ["[left:0]", "-"]
        assert told[15] == "[0:0-0/play/0-0/- 0:#9/other/-/-]"
        assert told[22] == "[0-0/play/0-0/- 9-9 inward/other/-/- swap 6-5/other/-/- #3/other/-/-]"


def test_pieces_are_written_as_the_protocol_says(client):
    """All of them, and those that nobody knows."""
    proto = (ROOT / "proto/referee/v1/table.proto").read_text()
    names = {int(number): name for name, number in re.findall(r"// `(\S+)`\s+PIECE_\w+ = (\d+);", proto)}
    assert len(names) == 28 + 40 + 52
    lines = tool(*client.probe, "pieces").splitlines()
    for number, line in zip(range(-1, 125), lines, strict=True):
        name = names.get(number, f"#{number}")
        action = f"{name}/play/{name}/-" if number in names else f"{name}/other/-/-"
        assert line == f"{number}|{name}|{action}|"


def test_the_bot_of_the_readme(client, own_bot, servers):
    """Its ten lines, in a project of its own."""
    [code] = re.findall(r"```cpp\n(.*?)```", (CLIENT / "README.md").read_text(), re.S)
    built = own_bot("readme", code)
    ended, log = servers().play(DUEL, client.sits(built))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    flawless(log)


def sources():
    """The C++ files."""
    found = [path for folder in ("include", "src", "examples") for path in (CLIENT / folder).rglob("*.*")]
    assert len(found) >= 5
    return found


@pytest.mark.skipif(
    shutil.which("clang-format") is None and not os.environ.get("CI"), reason="no `clang-format` on the PATH"
)
def test_formatted():
    """As .clang-format wants it."""
    style = f"--style=file:{CLIENT / '.clang-format'}"
    tool("clang-format", "--dry-run", "--Werror", style, *sources(), Path(__file__).with_name("probe_bot.cpp"))


@pytest.mark.skipif(not os.environ.get("CI"), reason="takes a minute: only where CI is set")
def test_linted(client):
    """By the rules in .clang-tidy."""
    tool("clang-tidy", "--quiet", "-p", BUILD, *(path for path in sources() if path.suffix == ".cpp"))
