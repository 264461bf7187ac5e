"""The games, one file each; `referee.rules.registry` lists them."""
