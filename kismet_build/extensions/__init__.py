"""Parts of kismet that the core loads by name, like those of other packages, and never imports."""
