"""Where things are kept: four small protocols (`ports.py`), and the backends that keep to them."""
