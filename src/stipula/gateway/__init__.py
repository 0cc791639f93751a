"""From an ask to an upstream and back: `relay.py` is the whole way on one screen."""
