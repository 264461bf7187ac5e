"""A second reading of the rulebook, to hold the referee against.

Written from the rules and the public contract alone. Nothing here imports the referee, and nothing in the
referee imports this. It promises to be plain, not fast: pieces are strings, hands are lists, and every question is
answered by looking at the whole table again.
"""
