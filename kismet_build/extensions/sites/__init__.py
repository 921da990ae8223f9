"""Site generators, each as a source of vaults and a dialect. The core imports nothing from here."""
