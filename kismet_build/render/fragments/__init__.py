"""What the blocks of a book look like anywhere, and how each place shows them."""
