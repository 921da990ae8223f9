"""Files for the entire website: scripts, redirects, search names, sitemap, service worker."""
