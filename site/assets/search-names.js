// Search by name: ignores case, accents and spaces, ranks exact matches first, and allows one typo if nothing else matches.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };
  const END = "index.html";
  // Rank of each type of entry among equally good matches, the lowest first.
  const ENTITY = 0, KIND = 1, CHAPTER = 2, CALCULATOR = 3, HEADING = 4;

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

  /** The search entries of a game: name, address, kind, and the headings above it. */
  const entries = (index) => {
    const { game, title, kinds, chapters, entities, tags = [], boards, calculators } = index;
    const found = [];
    const add = (name, type, kind, sign, tint, address, below, aliases = []) =>
      found.push({ name, type, kind, sign, tint, address, below, game, title, order: found.length,
        spellings: [name, ...aliases].map((spelling) => ({ spelling, ...fold(spelling) })) });
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
    entities.forEach(([kind, slug, name, chapter, heading, ...aliases], number) => {
      const [id, word, , sign, tint] = kinds[kind];
      const own = chapters[chapter]?.[2][heading]?.[3] === number;
      add(name, ENTITY, word, sign, tint, `${game}/${id}/${slug}/${END}`, trail(chapter, heading, !own), aliases);
    });
    for (const [id, word, plural, sign, tint] of kinds) add(plural, KIND, "Kind", sign, tint, `${game}/${id}/${END}`, [], [word]);
    for (const [id, name] of boards) add(name, KIND, "Board", "▦", "gold", `${game}/boards/${id}/${END}`, []);
    for (const [slug, name] of tags) add(`#${name}`, KIND, "Tag", "#", "gold", `${game}/tags/${slug}/${END}`, [], [name.split("/").pop()]);
    chapters.forEach(([name, slug, headings, isEntity, pages = []], chapter) => {
      const folder = `${game}/${slug && `${slug}/`}`;
      const address = folder + END;
      if (!isEntity) add(name, CHAPTER, "Chapter", "❧", "gold", address, []);
      headings.forEach(([, heading, id, entity], place) => {
        const below = trail(chapter, place, false);
        const page = pages.findLast(([first]) => first <= place)?.[1];
        const hash = `${page ? `${folder}${page}/${END}` : address}#${encodeURIComponent(id)}`;
        // A heading that defines an entity is not an entry of its own: the entity is listed instead.
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

  /** Whether a word starts with the typed text, allowing one typo: a wrong, extra, missing or transposed letter. */
  const isNear = (word, typed) => {
    let at = 0;
    while (at < typed.length && word[at] === typed[at]) at++;
    // The first letter must match: typos there are rare, and allowing them would give many wrong results.
    if (at < 1) return false;
    const ends = (there, here) => word.startsWith(typed.slice(here), there);
    const turned = word[at] === typed[at + 1] && word[at + 1] === typed[at] && ends(at + 2, at + 2);
    return turned || ends(at + 1, at + 1) || ends(at, at + 1) || ends(at + 1, at);
  };
  /** The range in a name that each typed word matches at the start of a word; null if one of them matches none. */
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
  /** The rank of a match (0 is best) and its ranges in the name; null if the name does not match. */
  const fit = ({ folded }, typed, words) => {
    const all = [[0, typed.length]];
    if (folded === typed) return [0, all];
    const joined = words.join("");
    // Ignore spaces: "longsword" matches "long sword" and the reverse.
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

  /** Matching entries, the best first: `{entry, spelling, marks}`; marks are ranges of characters. */
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
