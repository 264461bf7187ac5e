"""The command line: one thin module a command, each imported only when it is asked for."""
