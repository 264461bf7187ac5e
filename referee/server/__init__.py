"""The gRPC server: who may join, what is said on the wire, and many matches at once."""
