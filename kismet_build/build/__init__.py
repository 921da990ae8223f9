"""Drives the stages for a library, and reuses the results of earlier builds."""
