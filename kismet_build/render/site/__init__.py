"""Files for the whole website: scripts, redirects, search names, sitemap, service worker."""
