"""What the dialects of several site generators share."""
