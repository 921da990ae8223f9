"""The driver: runs every stage for a library, and reuses what earlier builds made."""
