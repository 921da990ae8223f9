"""What has a door: parts of kismet that the core reaches by name only, as it reaches those of other packages."""
