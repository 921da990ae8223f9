// Contents of a split chapter: redirects an address with an id from a section to the page of that section.
(() => {
  const follow = () => {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {} // not one of our ids
    const line = id && document.getElementById(id)?.closest(".sections li");
    if (line) location.replace(line.querySelector("a").href.replace(/#.*/, "") + location.hash);
  };
  addEventListener("hashchange", follow);
  follow();
})();
