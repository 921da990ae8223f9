"""Files of the whole site: scripts, redirects, search names, sitemap, service worker."""
