// The entries of the search box, made from a game's index of names, `assets/<game>-names.js`. `search-rank.js` ranks them.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const { t } = kismet;
  const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };
  const END = "index.html";
  // Rank of each type of entry among equally good matches, the lowest first: entities have 0 to 2, depending on their kind.
  const KIND = 3, SECTION = 4, CHAPTER = 5, UNWRITTEN = 6, CALCULATOR = 7;

  /** Normalized text: lower case, no accents, words joined by one space. `from` maps each character to its original offset. */
  const fold = (text) => {
    let folded = "";
    const from = [];
    let at = 0;
    for (const sign of text) {
      const plain = sign.toLowerCase().normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}/gu, "");
      // An apostrophe joins its neighbours into one word; any other symbol separates words.
      if (!/^['’‘`´]$/.test(sign))
        for (const letter of plain)
          for (const unit of (LETTERS[letter] ?? (/[\p{L}\p{N}\p{M}]/u.test(letter) ? letter : " ")).split(""))
            if (unit !== " " || (folded && !folded.endsWith(" "))) {
              folded += unit;
              from.push(at);
            }
      at += sign.length;
    }
    return { folded: folded.trimEnd(), from };
  };

  /** The normalized words of a text: `fold`, but much faster, because it does not count characters. */
  const foldWords = (text) =>
    text.toLowerCase().normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}|['’‘`´]/gu, "").replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter])
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

  /** The search entries of a game: name, address, kind, and the headings above it. */
  const entries = (index) => {
    const { game, title, kinds, chapters, entities, tags = [], boards, calculators, unwritten = [] } = index;
    const found = [];
    const add = (name, type, kind, sign, tint, address, below, { aliases = [], fields = [], words = "" } = {}) => {
      const entry = { name, type, kind, sign, tint, address, below, fields, words, game, title, order: found.length, spellings: [name, ...aliases] };
      found.push(entry);
      return entry;
    };
    /** The titles above a heading, from the chapter down; with `self` also its own, for an entry inside that section. */
    const trail = (chapter, heading, self) => {
      if (!chapters[chapter]) return [];
      const [name, , headings] = chapters[chapter];
      const titles = [];
      let level = 9;
      for (let place = heading; place >= 0; place--)
        if (headings[place][0] < level || (place === heading && self)) {
          level = headings[place][0];
          if (place !== heading || self) titles.unshift(headings[place][1]);
        }
      return [name, ...titles];
    };
    entities.forEach(([kind, slug, name, chapter, heading, values, words, ...aliases], number) => {
      const [id, word, , sign, tint, labels, rank, isTable] = kinds[kind];
      const own = chapters[chapter]?.[2][heading]?.[3] === number;
      const fields = values.flatMap((value, place) => (value ? [[labels[place], value]] : []));
      add(name, rank, word, sign, tint, `${game}/${id}/${isTable ? `${END}#${encodeURIComponent(slug)}` : `${slug}/${END}`}`, trail(chapter, heading, !own), { aliases, fields, words });
    });
    for (const [id, word, plural, sign, tint] of kinds) add(plural, KIND, t("search.kind"), sign, tint, `${game}/${id}/${END}`, [], { aliases: [word] });
    for (const [id, name] of boards) add(name, KIND, t("search.board"), "▦", "gold", `${game}/boards/${id}/${END}`, []);
    for (const [slug, name] of tags) add(`#${name}`, KIND, t("search.tag"), "#", "gold", `${game}/tags/${slug}/${END}`, [], { aliases: [name.split("/").pop()] });
    chapters.forEach(([name, slug, headings, isEntity, pages = []], chapter) => {
      const folder = `${game}/${slug && `${slug}/`}`;
      const address = folder + END;
      if (!isEntity) add(name, CHAPTER, t("search.chapter"), "❧", "gold", address, []);
      headings.forEach(([, heading, id, defined], place) => {
        const below = trail(chapter, place, false);
        const page = pages.findLast(([first]) => first <= place)?.[1];
        const hash = `${page ? `${folder}${page}/${END}` : address}#${encodeURIComponent(id)}`;
        // A heading that defines an entity is not a separate entry: the entity is listed instead.
        if (typeof defined === "number") (found[defined].sections ??= []).push(hash);
        else add(heading, SECTION, t("search.section"), "§", "gold", hash, below, { words: defined });
      });
    });
    for (const [slug, name, sheet, chapter, heading] of calculators) {
      const address = sheet ? `${game}/sheets/${slug}/${END}` : `${game}/calculators/${END}#${slug}`;
      add(name, CALCULATOR, sheet ? t("search.sheet") : t("search.calculator"), "∑", "sky", address, trail(chapter, heading, true), { aliases: [slug.replaceAll("-", " ")] });
    }
    for (const [name, id] of unwritten) add(name, UNWRITTEN, t("search.unwritten"), "✎", "gold", `${game}/${END}#${id}`, []);
    return found;
  };

  Object.assign(kismet, { foldText: fold, foldWords, searchEntries: entries });
})();
