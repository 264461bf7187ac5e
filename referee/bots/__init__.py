"""Built-in bots. They see what every bot sees, a `View`, and nothing else; `referee.bots.registry` lists them."""
