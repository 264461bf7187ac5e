"""One match: its deals, clocks, log and turn loop. It knows the rules, and nothing of gRPC."""
