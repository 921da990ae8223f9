// A redirect that keeps the part of the address after #, which the refresh of a page would drop.
if (location.hash) location.replace(document.querySelector('a').href.replace(/#.*/, '') + location.hash);
