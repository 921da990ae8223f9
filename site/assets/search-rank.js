// Ranks the entries of a game for typed words.
//
// The score of an entry is its fit, less a little for its type. The fit is
//   3 to 4.5  if all words are in one of its names, or in a name with its kind: 4 if they are the entire name, 4.5 if spelling and order are the same too;
//   1 to 2.9  if all words are in its name, kind, fields, first words and headings: more if a number is next to its field;
//   1.1 to 1.5 if the words contain one of its names, in adjacent words;
//   0 to 1    if a word is missing: less than half of the words is not a match.
// Rare words count more than frequent ones, and the last word more than others. A word that neither a searched game nor the synonyms
// have may be misspelt: the names closest to it count, with 0.8 of their fit. If nothing is close to it, it is left out, and the rest
// ranks like a synonym.
// If the words have synonyms, these are ranked too. A synonym never comes before a name with all typed words.
(() => {
  const kismet = (globalThis.kismet ??= {});
  // How well a word of an entry matches, depending on where it is.
  const NAME = 1, KIND = 0.7, FIELD = 0.6, WORDS = 0.35, TRAIL = 0.2;
  // How well a typed word matches a word: in another form, as its beginning, misspelt.
  const INFLECTED = 0.95, BEGINNING = 0.6, MISSPELT = 0.8;
  // How well a number matches next to the name of its field, and next to one word of that name or its kind; what it adds to the fit.
  const FACT = 0.95, PART_OF_FACT = 0.85, FACT_FIT = 0.9;
  // Fit if the words contain an entire name, and what is added for its share of the words.
  const HAS_NAME = 1.1, NAMED_SHARE = 0.4;
  // Fit of a name that contains the words; what is added if it is spelled the same; the limit for synonyms and left-out words; what these take off, and what each wider word takes off.
  const IN_NAME = 3, SAME = 0.5, MAX_SYNONYM = 2.95, SYNONYM = 0.35, WIDER = 0.9;
  // Factor for the last word, which the others usually modify, as in "fire resistance".
  const LAST = 1.2;
  // Share of the words, by rarity, that a match must have.
  const MIN_SHARE = 0.5;
  // Taken off by type of entry, as in search-entries.js; calculators come last unless the words ask for one.
  const BY_TYPE = [0, 0.01, 0.03, 0.04, 0.05, 0.06, 0.07, 0.1], CALCULATOR = 7, CALCULATOR_LAST = 3.5;
  // Minimum lengths of a word for one and for two wrong letters.
  const ONE_TYPO = 4, TWO_TYPOS = 8;
  // Number of different wordings of a query, and the widest range of numbers that is listed.
  const MAX_WORDINGS = 24, MAX_RANGE = 40;
  // Number of word matches cached for the next key press, and of entries whose names are compared with the words.
  const MAX_KEPT = 80, MAX_COMPARED = 400;
  const IRREGULAR = { dice: "die", foci: "focus", feet: "foot", staves: "staff", men: "man", mice: "mouse", teeth: "tooth" };

  const isNumber = (word) => /^\d+$/.test(word);

  // --- words

  /** The stem of a folded word: without English endings, and with the American spelling where the British differs. */
  const stem = (word) => {
    let found = stems.get(word);
    if (found === undefined) stems.set(word, (found = stemmed(word)));
    return found;
  };
  const stems = new Map();
  const stemmed = (word) => {
    if (word.length < 4 || /\d/.test(word)) return word;
    if (word in IRREGULAR) return IRREGULAR[word];
    const plain = word
      .replace(/([a-z]{2})our(?=$|s$|e[dr]$|ing$|able$)/, "$1or")
      .replace(/([a-z]{3})is(?=e[sdr]?$|ing$|ations?$)/, "$1iz")
      .replace(/lys(?=e[sdr]?$|ing$)/, "lyz")
      .replace(/([^aeiou])re(?=s?$)/, "$1er")
      .replace(/ence(?=s?$)/, "ense")
      .replace(/(?<=.{3})(i?)ness$/, (_, i) => (i ? "y" : ""));
    const singular = /ies$/.test(plain) ? plain.replace(/ies$/, "y") : /(ss|x|ch|sh|zz)es$/.test(plain) ? plain.slice(0, -2) : plain.replace(/([il])ves$/, "$1fe").replace(/([^su])s$/, "$1");
    const bare = singular.replace(/(?<=[aeiouy].*)(?<=.{3})(ing|ed)$/, "");
    return bare.replace(/(.{2})e$/, "$1").replace(/(.{2})y$/, "$1i").replace(/([^aeiou\d])\1$/, "$1");
  };
  const wordsOf = (text) => kismet.foldWords(text);
  /** The numbers of a text; ranges with all numbers in them. */
  const numbersOf = (text) =>
    [...text.matchAll(/(\d+)(?:\s*(?:–|-|to)\s*(\d+))?/g)].flatMap(([, low, high = low]) =>
      Array.from({ length: Math.min(Math.max(high - low, 0), MAX_RANGE) + 1 }, (_, more) => String(Number(low) + more)));

  // --- index

  /** Index the entries of a game: for each word, the positions of the entries that have it and its weight there. `own`: lists of a name and its other names. */
  const index = (entries, own = []) => {
    const known = new Map();
    const put = (word, place, weight) => {
      let found = known.get(word);
      if (!found) known.set(word, (found = { word, stem: stem(word), places: [], weights: [] }));
      const last = found.places.length - 1;
      if (found.places[last] !== place) found.places.push(place), found.weights.push(weight);
      else if (found.weights[last] < weight) found.weights[last] = weight;
    };
    entries.forEach((entry, at) => {
      const kind = wordsOf(entry.kind);
      entry.names = entry.spellings.map((spelling) => {
        const every = wordsOf(spelling), words = queryWords(every);
        return { spelling, every, words, stems: words.map(stem) };
      });
      entry.kindStems = kind.map(stem);
      for (const { every: words } of entry.names) {
        for (const word of words) put(word, at, NAME);
        // "longsword" finds "long sword", and vice versa.
        if (words.length === 2) put(words.join(""), at, NAME);
        // "aoe" finds "area of effect".
        if (words.length > 2) put(words.map(([letter]) => letter).join(""), at, FIELD);
      }
      for (const word of kind) put(word, at, KIND);
      // A value of 0 means absence, so "0 hp" should not find it.
      entry.fields.forEach(([label, value], place) => {
        const labels = wordsOf(label);
        for (const word of [...labels, ...wordsOf(value)]) put(word, at, FIELD);
        for (const number of numbersOf(value)) if (number !== "0") for (const word of place ? labels : [...labels, ...kind]) put(`${stem(word)} ${number}`, at, word === label.toLowerCase() ? FACT : PART_OF_FACT);
      });
      for (const word of wordsOf(entry.words)) put(word, at, WORDS);
      for (const title of entry.below) for (const word of wordsOf(title)) put(word, at, TRAIL);
    });
    const byStem = new Map();
    for (const found of known.values()) (byStem.get(found.stem) ?? byStem.set(found.stem, []).get(found.stem)).push(found);
    const sorted = [...known.values()].sort((a, b) => (a.word < b.word ? -1 : 1));
    const synonyms = new Map();
    for (const [name, ...words] of own) for (const word of words) addSynonyms(synonyms, word, [name], 0);
    return { entries, known, byStem, sorted, synonyms, matches: new Map() };
  };

  // --- one word

  /** Edits from one word to another, with a transposition as one; more than `most` count as `most` + 1. */
  const edits = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [], last = Array.from({ length: b.length + 1 }, (_, place) => place);
    for (let i = 1; i <= a.length; i++) {
      const row = [i];
      let least = i;
      for (let j = 1; j <= b.length; j++) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
        if (row[j] < least) least = row[j];
      }
      if (least > most) return most + 1;
      [before, last] = [last, row];
    }
    return last[b.length];
  };

  /** The words that start with these letters. */
  const beginningWith = function* ({ sorted }, letters) {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle].word < letters) low = middle + 1;
      else high = middle;
    }
    for (; sorted[low]?.word.startsWith(letters); low++) yield sorted[low];
  };

  /** Whether a game has a word, in any form, or one that starts with it. */
  const hasWord = (game, typed) => game.byStem.has(stem(typed)) || !beginningWith(game, typed).next().done;
  /** How well a typed word matches each entry: `weights` by position, 0 for no match, and `places`, the positions of the matches. */
  const matchesOf = (game, typed) => kept(game, typed, (add) => {
    const own = stem(typed);
    for (const word of game.byStem.get(own) ?? []) add(word, word.word === typed ? 1 : INFLECTED);
    if (!isNumber(typed)) {
      for (const word of beginningWith(game, typed)) add(word, BEGINNING + 0.35 * (typed.length / word.word.length));
      if (own.length > 3 && own !== typed) for (const word of beginningWith(game, own)) add(word, BEGINNING);
    }
  });
  /** The matches of a word for this key, from the cache or from `fill(add, found)`. */
  const kept = (game, key, fill) => {
    let found = game.matches.get(key);
    if (found) return found;
    const weights = new Float32Array(game.entries.length);
    found = { weights, places: [], meant: "", closest: null };
    fill((word, quality) => {
      word.places.forEach((place, number) => {
        const weight = word.weights[number] * quality;
        if (!weights[place]) found.places.push(place);
        if (weights[place] < weight) weights[place] = weight;
      });
    }, found);
    if (game.matches.size > MAX_KEPT) game.matches.clear();
    game.matches.set(key, found);
    return found;
  };
  /**
   * The matches of a misspelt word: those of the closest words. `meant` is the most likely word, and `closest`
   * has all of them. The first letter must match, or there would be too many.
   */
  const correctionsOf = (game, typed) => kept(game, `~${typed}`, (add, found) => {
    if (isNumber(typed) || typed.length < ONE_TYPO) return;
    let closest = typed.length < TWO_TYPOS ? 1 : 2;
    let words = [];
    for (const word of beginningWith(game, typed[0])) {
      if (word.word.length < typed.length - closest || word.word.includes(" ")) continue;
      // A longer word may be only partly typed.
      const isLonger = word.word.length > typed.length + closest;
      const number = edits(typed, isLonger ? word.word.slice(0, typed.length) : word.word, closest);
      if (number < closest) words = [];
      if (number <= closest) (closest = number), words.push(word);
    }
    for (const word of words) add(word, MISSPELT);
    const size = (word) => word.places.length - Math.abs(word.word.length - typed.length) / 4;
    found.closest = new Set(words.map(({ word }) => word));
    found.meant = words.sort((a, b) => size(b) - size(a))[0]?.word ?? "";
  });

  // --- a query

  /** The words of a query without common question words such as "how"; all words if every one is common. */
  let ignored = null;
  const queryWords = (words) => {
    ignored ??= new Set((kismet.searchWords?.ignored ?? []).flatMap((word) => [word, stem(word)]));
    const isIgnored = (word) => ignored.has(word) || ignored.has(stem(word));
    const rest = words.filter((word, place) => !isIgnored(word) && !(words[place - 1] === "how" && ["far", "long", "many", "much"].includes(word)));
    return rest.length ? rest : words;
  };
  /** A copy of a list in which `items` replace `number` of its items, like `toSpliced` in newer browsers. */
  const spliced = (list, from, number, items) => [...list.slice(0, from), ...items, ...list.slice(from + number)];
  /**
   * Other wordings of a query: `{words, share, wider}`; `share` is the share of words replaced by synonyms, and `wider`
   * how much wider these are than the typed words.
   */
  const wordingsOf = (game, typed) => {
    const words = queryWords(typed);
    const others = [{ words, share: 0, wider: 0 }];
    const replace = (from, number, by, share) => others.push({ words: spliced(words, from, number, by), share, wider: 0 });
    words.forEach((word, place) => {
      const joined = word + words[place + 1];
      if (game.known.has(joined)) replace(place, 2, [joined], 0);
      if (!game.byStem.has(stem(word)))
        for (let cut = 3; cut <= word.length - 3; cut++)
          if (game.known.has(word.slice(0, cut)) && game.known.has(word.slice(cut))) replace(place, 1, [word.slice(0, cut), word.slice(cut)], 0);
    });
    for (let number = Math.min(4, typed.length); number; number--)
      for (let place = 0; place + number <= typed.length; place++)
        for (const { other, wider } of synonymsOf(game, typed.slice(place, place + number)))
          if (other.every((word) => game.byStem.has(stem(word))))
            others.push({ words: queryWords(spliced(typed, place, number, other)), share: number / typed.length, wider });
    return others.slice(0, MAX_WORDINGS);
  };
  const keyOf = (words) => words.map(stem).join(" ");
  const addSynonyms = (synonyms, typed, meant, step) => {
    const key = keyOf(wordsOf(typed));
    const others = meant.flatMap((other, place) => (other === typed ? [] : { other: wordsOf(other), wider: place * step }));
    synonyms.set(key, [...(synonyms.get(key) ?? []), ...others]);
  };
  let common = null, vocabulary = null;
  /** Whether the synonyms of all games have a word. */
  const isSynonym = (word) => {
    const { same = [], leads = {} } = kismet.searchWords ?? {};
    vocabulary ??= new Set([...same.flat(), ...Object.keys(leads)].flatMap(wordsOf).map(stem));
    return vocabulary.has(stem(word));
  };
  /** Other names for the words, in the game and in all games: `{other, wider}`, lists of words. */
  const synonymsOf = (game, words) => {
    if (!common) {
      common = new Map();
      for (const same of kismet.searchWords?.same ?? []) for (const word of same) addSynonyms(common, word, same, 0);
      for (const [word, meant] of Object.entries(kismet.searchWords?.leads ?? {})) addSynonyms(common, word, meant, WIDER);
    }
    const key = keyOf(words);
    return [...(game.synonyms.get(key) ?? []), ...(common.get(key) ?? [])];
  };

  /** The best name for the words: its fit and its number; no fit if a word is neither in the name nor in the kind. */
  const nameFit = (entry, words, stems, isMisspelt) => {
    let best = { fit: 0, number: 0 };
    entry.names.forEach((name, number) => {
      let inName = 0;
      const used = new Set();
      const isIn = (word, place) => {
        const at = name.words.findIndex((own, where) => !used.has(where) && (own.startsWith(word) || name.stems[where] === stems[place] || isMisspelt(word, own)));
        if (at < 0) return entry.kindStems.includes(stems[place]);
        used.add(at);
        const own = name.words[at];
        inName += own === word || name.stems[at] === stems[place] ? own.length : Math.min(word.length, own.length);
        return true;
      };
      const joined = words.join("");
      let fit = 0;
      if (name.words.join("") === joined || name.stems.join(" ") === stems.join(" ")) fit = IN_NAME + 1 + SAME;
      else if (words.every(isIn) && inName) fit = IN_NAME + inName / name.words.join("").length;
      if (fit > best.fit) best = { fit, number };
    });
    return best;
  };

  /** For each number next to another word: their positions in the query, and the index word for both, such as `dl 9`. */
  const factsOf = (game, words, stems) =>
    words.slice(1).flatMap((word, place) => {
      const label = isNumber(word) ? stems[place] : isNumber(words[place]) ? stems[place + 1] : "";
      const fact = label && game.known.get(`${label} ${isNumber(word) ? word : words[place]}`);
      return fact ? [[place, fact]] : [];
    });

  /** Whether words are adjacent in a query, in any order. */
  const standTogether = (words, query) => {
    const places = words.map((word) => query.indexOf(word));
    return places.length > 0 && !places.includes(-1) && Math.max(...places) - Math.min(...places) < words.length;
  };
  /** The fit of an entry if the words contain one of its names. */
  const hasName = (entry, words, stems, rarity, total) => {
    let best = 0;
    for (const name of entry.names)
      if (standTogether(name.stems, stems)) {
        const share = stems.reduce((sum, own, place) => sum + (name.stems.includes(own) ? rarity[place] : 0), 0) / total;
        best = Math.max(best, HAS_NAME + NAMED_SHARE * share);
      }
    return best;
  };

  /**
   * The entries that fit one wording of a query: `results`, each `{fit, number, isWhole}` by entry, and `meant`, the corrected words
   * if any is misspelt. `isKnown` tells whether a searched game or the
   * synonyms have a word: only unknown words are corrected or left out.
   */
  const fits = (game, wording, isKnown) => {
    const matches = wording.map((word) => {
      const found = matchesOf(game, word);
      return found.places.length || isKnown(word) ? found : correctionsOf(game, word);
    });
    const isUsed = (place) => matches[place].places.length > 0 || isKnown(wording[place]);
    const words = wording.filter((_, place) => isUsed(place)), found = matches.filter((_, place) => isUsed(place));
    const left = 1 - words.length / wording.length;
    const isMisspelt = (word, own) => found[words.indexOf(word)].closest?.has(own);
    const stems = words.map(stem);
    const weights = found.map((match) => match.weights), places = found.map((match) => match.places);
    // A number next to its field counts for both words.
    const facts = new Map();
    for (const [first, fact] of factsOf(game, words, stems))
      for (const own of [first, first + 1]) {
        weights[own] = weights[own].slice();
        places[own] = [...new Set([...places[own], ...fact.places])];
        fact.places.forEach((place, number) => {
          weights[own][place] = Math.max(weights[own][place], fact.weights[number]);
          facts.set(place, Math.max(facts.get(place) ?? 0, fact.weights[number]));
        });
      }
    const isLast = (number) => number === words.length - 1;
    const rarity = places.map((where, number) => Math.log(1 + game.entries.length / Math.max(1, where.length)) * (isLast(number) ? LAST : 1));
    const total = rarity.reduce((sum, share) => sum + share, 0);
    const results = new Map();
    for (const place of best(game, weights, places, rarity)) {
      const entry = game.entries[place];
      let weight = 0, rare = 0, isWhole = true, isMeant = false;
      words.forEach((_, number) => {
        const own = weights[number][place];
        if (!own) return (isWhole = false);
        weight += own * rarity[number];
        rare += rarity[number];
        isMeant ||= Boolean(found[number].meant);
      });
      const mean = weight / rare, share = rare / total;
      const named = isWhole ? nameFit(entry, words, stems, isMisspelt) : { fit: 0, number: 0 };
      const spread = isWhole ? 1 + mean + (facts.get(place) ?? 0) * FACT_FIT : Math.max(mean * share, hasName(entry, words, stems, rarity, total));
      if (share < MIN_SHARE && spread < 1) continue;
      const whole = Math.max(named.fit, spread) * (isMeant ? MISSPELT : 1);
      const fit = left ? Math.min(MAX_SYNONYM, whole) * (1 - SYNONYM * left) : whole;
      results.set(entry, { fit, number: named.number, isWhole: isWhole && !left });
    }
    return { results, meant: found.some(({ meant }) => meant) ? matches.map(({ meant }, place) => meant || wording[place]).join(" ") : "" };
  };
  /** The positions of the entries with the best sum over their words. Comparing names takes longer, and short words match nearly all entries. */
  const best = ({ entries }, weights, places, rarity) => {
    const sums = new Float32Array(entries.length);
    places.forEach((where, number) => {
      for (const place of where) sums[place] += weights[number][place] * rarity[number];
    });
    const every = [...new Set(places.flat())];
    if (every.length <= MAX_COMPARED) return every;
    const least = Float32Array.from(every, (place) => sums[place]).sort()[every.length - MAX_COMPARED];
    return [...every.filter((place) => sums[place] > least), ...every.filter((place) => sums[place] === least)].slice(0, MAX_COMPARED);
  };

  /**
   * Rank the entries of games for a query: `{found, meant, isWhole}`.
   * `found`: `{entry, score, spelling}`, the best first. `isWhole`: whether any entry has all words.
   * `meant`: the query with corrected spelling; "" if an entry has all words as typed, or their synonyms.
   */
  const seek = (games, typed) => {
    const words = wordsOf(typed);
    const best = new Map();
    let isWhole = false, isAnswered = false;
    if (!words.length) return { found: [], meant: "", isWhole };
    const isKnown = (word) => isSynonym(word) || games.some((game) => hasWord(game, word));
    const asks = kismet.searchWords?.asks ?? [];
    for (const game of games)
      for (const { words: wording, share, wider } of wordingsOf(game, words)) {
        const answer = fits(game, wording, isKnown);
        const meant = share ? "" : answer.meant;
        const asked = words.some((word) => asks.includes(word));
        for (const [entry, { fit, number, isWhole: has }] of answer.results) {
          const limited = share ? Math.min(MAX_SYNONYM, fit * (1 - SYNONYM * share)) - wider : fit;
          const score = limited - BY_TYPE[entry.type] - (entry.type === CALCULATOR && !asked ? CALCULATOR_LAST : 0) - number / 100;
          isWhole ||= has;
          isAnswered ||= has && !answer.meant;
          if (!(best.get(entry)?.score >= score)) best.set(entry, { entry, score, spelling: entry.spellings[number], wording, meant });
        }
      }
    const found = [...best.values()].sort((a, b) => b.score - a.score || a.entry.name.length - b.entry.name.length || a.entry.order - b.entry.order);
    const meant = isAnswered ? "" : (found.find((result) => result.meant)?.meant ?? "");
    return { found: found.some(({ score }) => score > 1) ? found.filter(({ score }) => score > 1 - CALCULATOR_LAST) : found, meant, isWhole };
  };

  /** The ranges of a text whose words match one of these words. */
  const marks = (text, words) => {
    const { folded, from } = kismet.foldText(text);
    const ranges = [];
    let at = 0;
    const stems = words.map(stem);
    for (const word of folded.split(" ")) {
      const place = words.findIndex((typed, number) => word.startsWith(typed) || stem(word) === stems[number]);
      if (place >= 0) ranges.push([from[at], from[at + (word.startsWith(words[place]) ? words[place] : word).length] ?? text.length]);
      at += word.length + 1;
    }
    return ranges;
  };

  Object.assign(kismet, { stemWord: stem, queryWords, indexEntries: index, rankEntries: seek, markWords: marks });
})();
