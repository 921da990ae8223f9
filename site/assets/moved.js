// Redirects and keeps the part of the address after #, which the page's refresh would drop.
if (location.hash) location.replace(document.querySelector('a').href.replace(/#.*/, '') + location.hash);
