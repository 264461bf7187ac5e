"""Domain objects to messages and back; the only place that does it.

Encoded `PlayResponse` messages are passed on as bytes: the encoding of two messages one after the other is the encoding
of their merge (protobuf encoding guide, "Last One Wins" and repeated fields), and all that `PlayResponse` holds is a
list of events. So an event is encoded once, and whoever is owed several gets them joined.

`pieces` has the pieces and actions, `events` what happened, `turns` what is asked and answered, `notices` what a stream
is told besides, `info` games and matches outside the stream.
"""
