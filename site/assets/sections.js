// The contents of a split chapter: an address with the id of something in a section leads on to the page of the section.
(() => {
  const follow = () => {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {} // not an id of ours
    const line = id && document.getElementById(id)?.closest(".sections li");
    if (line) location.replace(line.querySelector("a").href.replace(/#.*/, "") + location.hash);
  };
  addEventListener("hashchange", follow);
  follow();
})();
