"""The chat service: turns that stream, conversations that are kept, and the page that shows them."""
