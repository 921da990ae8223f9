// Finds names: however they are spelled, the exact one first, and with one letter wrong where nothing is right.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };
  const END = "index.html";
  // What the names of a kind of entry come after, where they fit equally well.
  const ENTITY = 0, KIND = 1, CHAPTER = 2, CALCULATOR = 3, HEADING = 4;

  /** A text as it is compared: no case, no accents, words joined by one space; with the place of each letter in it. */
  const fold = (text) => {
    let folded = "";
    const from = [];
    let at = 0;
    for (const sign of text) {
      const plain = sign.toLowerCase().normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}/gu, "");
      // An apostrophe joins what it stands between, every other sign parts it.
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

  /** Every name of a game as an entry with its address, its kind and what it stands below. */
  const entries = (index) => {
    const { game, title, kinds, chapters, entities, boards, calculators } = index;
    const found = [];
    const add = (name, type, kind, sign, tint, address, below, aliases = []) =>
      found.push({ name, type, kind, sign, tint, address, below, game, title, order: found.length,
        spellings: [name, ...aliases].map((spelling) => ({ spelling, ...fold(spelling) })) });
    /** The titles above a heading, from the chapter down; with its own where something stands in it. */
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
    entities.forEach(([kind, slug, name, chapter, heading, ...aliases], number) => {
      const [id, word, , sign, tint] = kinds[kind];
      const own = chapters[chapter]?.[2][heading]?.[3] === number;
      add(name, ENTITY, word, sign, tint, `${game}/${id}/${slug}/${END}`, trail(chapter, heading, !own), aliases);
    });
    for (const [id, word, plural, sign, tint] of kinds) add(plural, KIND, "Kind", sign, tint, `${game}/${id}/${END}`, [], [word]);
    for (const [id, name] of boards) add(name, KIND, "Board", "▦", "gold", `${game}/boards/${id}/${END}`, []);
    chapters.forEach(([name, slug, headings], chapter) => {
      const address = `${game}/${slug}/${END}`;
      add(name, CHAPTER, "Chapter", "❧", "gold", address, []);
      headings.forEach(([, heading, id, entity], place) => {
        const below = trail(chapter, place, false);
        const hash = `${address}#${encodeURIComponent(id)}`;
        // What a heading begins has a card, and is listed once.
        if (entity === undefined) add(heading, HEADING, "Section", "§", "gold", hash, below);
        else (found[entity].sections ??= []).push(hash);
      });
    });
    for (const [slug, name, sheet, chapter, heading] of calculators) {
      const address = sheet ? `${game}/sheets/${slug}/${END}` : `${game}/calculators/${END}#${slug}`;
      add(name, CALCULATOR, sheet ? "Sheet" : "Calculator", "∑", "sky", address, trail(chapter, heading, true));
    }
    return found;
  };

  /** Whether a word begins with another that has one letter wrong, too many, too few, or two of them changed over. */
  const isNear = (word, typed) => {
    let at = 0;
    while (at < typed.length && word[at] === typed[at]) at++;
    if (at < 1) return false; // hardly anybody gets the first letter wrong, and much else begins with another
    const ends = (there, here) => word.startsWith(typed.slice(here), there);
    const turned = word[at] === typed[at + 1] && word[at + 1] === typed[at] && ends(at + 2, at + 2);
    return turned || ends(at + 1, at + 1) || ends(at, at + 1) || ends(at + 1, at);
  };
  /** Where each of several words begins a word of a name; nothing when one of them does not. */
  const starts = (folded, words, fits) => {
    const found = [];
    for (const typed of words) {
      let at = 0;
      const hit = folded.split(" ").some((word) => {
        if (fits(word, typed)) return found.push([at, at + (fits === isNear ? word.length : typed.length)]);
        at += word.length + 1;
      });
      if (!hit) return null;
    }
    return found;
  };
  /** How well a name fits, 0 the best, and which of its letters do; nothing when it does not fit. */
  const fit = ({ folded }, typed, words) => {
    const all = [[0, typed.length]];
    if (folded === typed) return [0, all];
    const joined = words.join("");
    // Who writes in one word what the text has in two, or the other way round, means the same.
    const bare = folded.replaceAll(" ", "");
    if (bare === joined) return [0, [[0, folded.length]]];
    if (folded.startsWith(`${typed} `)) return [1, all];
    if (folded.startsWith(typed)) return [2, all];
    const found = starts(folded, words, (word, begin) => word.startsWith(begin));
    if (found) return [3, found];
    if (joined.length > 3 && bare.startsWith(joined)) {
      let end = 0;
      for (let left = joined.length; left; end++) if (folded[end] !== " ") left--;
      return [3, [[0, end]]];
    }
    const at = typed.length > 2 ? folded.indexOf(typed) : -1;
    return at < 0 ? null : [4, [[at, at + typed.length]]];
  };
  const nearly = ({ folded }, typed, words) => {
    const found = words.every((word) => word.length > 3) && starts(folded, words, isNear);
    return found ? [5, found] : null;
  };

  /** The entries that a reader may mean, the likeliest first: `{entry, spelling, marks}`, marks as ranges of letters. */
  const seek = (known, typed) => {
    const wanted = fold(typed).folded;
    const words = wanted.split(" ");
    const by = (measure) =>
      known.flatMap((entry) => {
        let best = null;
        entry.spellings.forEach((spelling, number) => {
          const found = measure(spelling, wanted, words);
          if (found && !(best?.rank[0] <= found[0]))
            best = { entry, spelling: spelling.spelling, rank: [found[0], Math.min(number, 1), entry.type, spelling.folded.length, entry.order],
              marks: found[1].map(([begin, end]) => [spelling.from[begin], spelling.from[end] ?? spelling.spelling.length]) };
        });
        return best ?? [];
      });
    if (!wanted) return [];
    let found = by(fit);
    if (!found.length) found = by(nearly);
    const before = (a, b) => a.rank.reduce((so, one, place) => so || one - b.rank[place], 0);
    return found.sort(before);
  };

  Object.assign(kismet, { foldName: fold, nameEntries: entries, seekNames: seek });
})();
