"""Run the stages for a library, and reuse the results of earlier builds."""
