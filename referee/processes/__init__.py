"""Bots in processes of their own: started, watched, and ended with all their children."""
