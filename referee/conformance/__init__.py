"""The conformance run: a client in any language is led through scenarios that are kept as data.

`scenario` reads them, `story` and `strange` make what a referee would send, `endpoint` and `network` are the server and
the cable that a scenario can cut, `director` leads a client through a script, `real` plays matches on the real server,
`run` does it all, `certificate` writes down what came of it.
"""
