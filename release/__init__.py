"""Programs for a release: SBOM, dependency audit and reference pages. The extra `test` installs what they need."""
