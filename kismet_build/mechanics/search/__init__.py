"""Search in a game's texts.

Words are folded and stemmed in the same way when an index is built and when it is searched.
"""
