"""The Java client plays against the real server, and against one that says what no server says yet."""

import re
from pathlib import Path

import pytest
from client_kit.scripts import Patience, Scripts, opening, turn
from client_kit.suite import Plays, Probes
from client_kit.tls import Tls
from client_kit.tools import ROOT, Client, absent, alone, by_chance, facts, need, tool

pytestmark = pytest.mark.timeout(900)  # the first build may have to download what it needs

CLIENT = ROOT / "clients" / "java"
TARGET = CLIENT / "target"
CLASSES = f"{TARGET / 'referee-bot-all.jar'}:{TARGET / 'examples'}"
# As hostile to a connection within this machine as a setting can be.
PROXY = ("-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=9", "-Dhttp.nonProxyHosts=")


@pytest.fixture(scope="session")
def client(tmp_path_factory):
    """The client, built, and the test's own bot."""
    need("Java", absent("mvn", "javac"))
    built = TARGET / "built-by-tests"
    with alone(TARGET / "lock-of-tests"):  # with xdist, one builds and the others wait
        folders = [CLIENT / "src", CLIENT / "examples", ROOT / "proto"]
        sources = [CLIENT / "pom.xml", *(path for folder in folders for path in folder.rglob("*.*"))]
        if not built.exists() or built.stat().st_mtime < max(path.stat().st_mtime for path in sources):
            tool("mvn", "-B", "-q", "-f", CLIENT, "package")
            built.touch()
    probe = tmp_path_factory.mktemp("probe")
    tool("javac", "-cp", CLASSES, "-d", probe, Path(__file__).with_name("ProbeBot.java"))
    names = {"random_bot": "RandomBot", "first_legal_bot": "FirstLegalBot"}
    return Client(
        "java",
        {name: ["java", *PROXY, "-cp", CLASSES, bot] for name, bot in names.items()},
        probe=["java", *PROXY, "-cp", f"{CLASSES}:{probe}", "ProbeBot"],
        chooses=(["random"], by_chance),
        facts=lambda turn: "|".join(map(java, facts(turn))),
        event=str.upper,
        unknown_token="unknown token",
        distrust=("java.security.cert.CertPath", "No subject alternative names matching IP address 127.0.0.1"),
        noise=r"^WARNING: .*\n",  # from Java 24 on, the JVM itself warns of what gRPC's libraries do
        most_start_s=4,  # 2 s, twice that on a busy machine
    )


def java(value):
    """A value as Java says it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(java, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={java(each)}" for key, each in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


class TestJava(Plays, Probes, Scripts, Patience, Tls):
    """What every client must do."""

    def check_what_was_told(self, told):
        """Of a turn with what nobody knows yet."""
        assert told[2:5] == ["0", "0", "[0-0, #200]"]
        assert told[12:14] == ["{left=0}", "-"]
        assert told[15] == "[0:0-0/play/0-0/-, 0:other/other/-/-]"
        assert told[22] == "[0-0/play/0-0/-, 9-9 inward/other/-/-, swap 6-5/other/-/-, /other/-/-]"

    def test_no_choice_at_all_is_a_mistake_too(self, client, stage):
        """With its trace; nothing hangs."""
        stage.acts = [lambda requests: iter([opening(turn("6-6"))])]
        ended = client.bot([*client.probe, "null"], stage.address, "x")
        assert ended.returncode == 1
        assert "turn.legal()" in ended.stderr


def test_the_readme_bot_compiles(client, tmp_path):
    """The ten lines of the README."""
    [code] = re.findall(r"```java\n(.*?)```", (CLIENT / "README.md").read_text(), re.S)
    path = tmp_path / "Heavy.java"
    path.write_text(code)
    tool("javac", "-cp", CLASSES, "-d", tmp_path, path)
