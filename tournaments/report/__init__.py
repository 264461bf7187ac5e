"""``report.html``: a tournament as one page that needs nothing else."""

from tournaments.report.page import REPLAYS, Written, write_report

__all__ = ["REPLAYS", "Written", "write_report"]
