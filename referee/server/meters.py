"""The server's numbers for Prometheus, where `prometheus-client` is installed (the extra ``metrics``).

No label is anybody's choice: they are stages, kinds and reasons of the referee's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

try:
    import prometheus_client as prometheus
except ImportError:
    prometheus = None  # type: ignore[assignment]

_SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Meters:
    """Counts what happens.

    Args:
        kept: whether anybody may ask for the numbers. Else, and without `prometheus-client`, nothing is counted.
    """

    def __init__(self, kept: bool = True) -> None:
        self.registry: Any = None
        self._counters: dict[str, Any] = {}
        if prometheus is None or not kept:
            return
        self.registry = prometheus.CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> None:
            self._counters[name] = prometheus.Counter(f"referee_{name}", text, labels, registry=self.registry)

        counter("matches_created", "Matches created.")
        counter("matches_ended", "Matches that are over, by how they ended.", "result")
        counter("turns", "Actions, by who chose them.", "by")
        counter("faults", "Faults of bots, by kind.", "kind")
        counter("joins", "Streams that have joined.")
        counter("refused", "Streams and calls that were refused, by reason.", "reason")
        self._latency = prometheus.Histogram(
            "referee_turn_seconds",
            "From asking a bot to its answer, as charged to its clock.",
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._lateness = prometheus.Histogram(
            "referee_lateness_seconds",
            "The referee's own lateness in a bot's turn, which nobody is charged for.",
            registry=self.registry,
            buckets=_SECONDS,
        )

    def count(self, name: str, label: str | None = None) -> None:
        """One more of something."""
        if self._counters:
            counter = self._counters[name]
            (counter if label is None else counter.labels(label)).inc()

    def turn(self, by: str, took_ms: int, lag_ms: int) -> None:
        """One more action."""
        if not self._counters:
            return
        self._counters["turns"].labels(by).inc()
        if by in {"bot", "timeout"}:
            self._latency.observe(took_ms / 1000)
            self._lateness.observe(lag_ms / 1000)

    def watch(self, name: str, text: str, value: Callable[[], float]) -> None:
        """Ask for a value whenever the numbers are asked for."""
        if self.registry is not None:
            prometheus.Gauge(f"referee_{name}", text, registry=self.registry).set_function(value)

    def watch_each(
        self, name: str, text: str, label: str, kinds: Iterable[str], values: Callable[[], Mapping[str, int]]
    ) -> None:
        """Ask for a value of each kind whenever the numbers are asked for."""
        if self.registry is None:
            return
        gauge = prometheus.Gauge(f"referee_{name}", text, [label], registry=self.registry)
        for kind in kinds:
            gauge.labels(kind).set_function(lambda kind=kind: values().get(kind, 0))  # type: ignore[misc]

    def text(self) -> bytes | None:
        """All numbers as Prometheus reads them; None without `prometheus-client`."""
        return None if self.registry is None else prometheus.generate_latest(self.registry)
