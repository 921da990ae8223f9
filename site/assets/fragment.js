// Resolves fragments that differ from a heading's id in spelling: #SKILL LIST, #Chapter#Skill list, #skill--list.
(() => {
  const fold = (words) =>
    words
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[\p{M}'’]/gu, "")
      .replace(/ß/g, "ss")
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  const asked = () => {
    try {
      return decodeURIComponent(location.hash);
    } catch {
      return location.hash;
    }
  };
  kismet.fragment = () => {
    const wanted = fold(asked().split("#").pop());
    const said = [...document.querySelectorAll("#_contents li > a")].find((link) => fold(link.textContent) === wanted);
    const named = [...document.querySelectorAll("article [id]")].find((element) => fold(element.id) === wanted);
    if (wanted && (said || named)) location.replace(said?.hash ?? `#${encodeURIComponent(named.id)}`);
  };
})();
