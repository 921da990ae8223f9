// On the contents page of a split chapter, redirects an address with a section's id to the page of that section.
(() => {
  const follow = () => {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {} // The fragment is not an id of this website.
    const line = id && document.getElementById(id)?.closest(".sections li");
    if (line) location.replace(line.querySelector("a").href.replace(/#.*/, "") + location.hash);
  };
  addEventListener("hashchange", follow);
  follow();
})();
