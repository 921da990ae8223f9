// Ranks the entries of a game for typed words, by looking them up in its index and adding integers. It does not use the
// DOM.
//
// Each typed word is looked up as it is, in its other forms, and by its synonyms. The last word may also be the
// beginning of a word. If no searched game has a word, it may be misspelt. For each word, an entry gets the weight of
// the best place that has the word, times the quality of the match, times the rarity of the word. Only the best unit of
// an entry (sentence, row or field) counts. The sum is scaled to at most 1,000. Points are added for a name that
// consists of the words or has all of them, for a name that the words contain, and for neighbouring words that are
// neighbours in the unit, too. Entries with the same score keep the order of the book.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const { foldWords, stemWord: stem } = kismet;
  // Weights of places in percent: names, the unit, the kind, units next to it, other units of the entry, headings
  // above.
  const NAME = 100, UNIT = 80, KIND = 70, NEAR = 50, TEXT = 35, TRAIL = 40;
  // Percentage of its weight that a name with many other words keeps. Divisor of what a unit's own words add in
  // choosing the best unit.
  const PART_OF_NAME = 90, OWN = 4;
  // Quality of a match in percent: the same word, another form, a synonym, a synonym although the game has the word
  // itself, a word that starts with the typed one (more if that is longer), and a misspelt word.
  const SAME = 100, FORM = 95, SYNONYM = 70, ASIDE = 55, BEGINS = 60, MISSPELT = 75;
  // Points added if the name consists of the words, has all of them (more if it has few others), or is contained in the
  // words, if all words are neighbours in the unit, and if the unit has no others. Points deducted if all words are
  // replaced by synonyms, and for each wider synonym.
  const IS_NAME = 1500, IN_NAME = 700, NAME_SHARE = 300, HAS_NAME = 160, PAIR = 120, COVER = 40, REPLACED = 250, WIDER = 400;
  // Points deducted by the type of an entry. A calculator comes last unless the words ask for one.
  const BY_TYPE = { k: 12, b: 12, t: 12, s: 15, c: 30, u: 60, x: 60, y: 60 }, RANK = 8, LAST = 2600;
  // Minimum score (of 1,000) of an entry that is found, and of an entry that is an answer.
  const LEAST = 150, ANSWER = 400;
  // Minimum length of a word with one and with two wrong letters, and maximum length of a compound. Maximum numbers of
  // typed words, of wordings, of compared results, of results that get points for neighbouring words, and of cached
  // matches.
  const ONE_TYPO = 5, TWO_TYPOS = 8, MAX_COMPOUND = 40, MAX_TYPED = 40, MAX_WORDINGS = 16, MAX_COMPARED = 120, MAX_PAIRED = 40, MAX_KEPT = 200;
  // Number of results among which to look for the answer and its calculator.
  const MAX_ANSWERS = 48;

  // --- index

  const positions = (deltas) => {
    let at = 0;
    return deltas.map((delta) => (at += delta));
  };
  /** Open the index of a game. `shared`: the synonyms of all games, as in `site/search/synonyms.yaml`. */
  const open = (index, shared = {}) => {
    const { entries, units, words, postings, kinds, search = [] } = index;
    const first = [0];
    for (const list of units) first.push(first.at(-1) + list.length);
    const owner = new Int32Array(first.at(-1));
    for (let entry = 0; entry < entries.length; entry++) owner.fill(entry, first[entry], first[entry + 1]);
    const forms = new Map(), known = new Map();
    let number = 0;
    for (const group of words.split("|")) {
      const [own, ...spelled] = group.split(" ");
      const list = spelled.map((word) => ({ word, postings: postings[number++], names: null, units: null }));
      forms.set(own, list);
      for (const found of list) known.set(found.word, found);
    }
    const sorted = [...known.values()].sort((a, b) => (a.word < b.word ? -1 : 1));
    const ignored = new Set((shared.ignored ?? []).flatMap((word) => [word, stem(word)]));
    const stemsOf = (text) => foldWords(text).map(stem);
    const weak = new Set((shared.weak ?? []).map(stem));
    const synonyms = new Map(), vocabulary = new Set(), spelled = new Map(sorted.map((each) => [each.word, each]));
    const mean = (typed, meant, step) => {
      const words = foldWords(typed), key = words.map(stem).join(" ");
      for (const word of words) {
        vocabulary.add(stem(word));
        if (!spelled.has(word)) spelled.set(word, { word, postings: [[], []] });
      }
      const others = meant.flatMap((other, place) => (other === typed ? [] : { words: foldWords(other), wider: place * step }));
      synonyms.set(key, [...(synonyms.get(key) ?? []), ...others]);
    };
    for (const [name, ...others] of search) for (const word of others) mean(word, [name], 0);
    for (const same of shared.same ?? []) for (const word of same) mean(word, same, 0);
    for (const [word, meant] of Object.entries(shared.leads ?? {})) mean(word, meant, 1);
    const names = entries.map(() => null), kindStems = kinds.map(([title]) => stemsOf(title));
    return { ...index, first, owner, forms, known, sorted, ignored, weak, synonyms, vocabulary, spelled: [...spelled.values()], names, kindStems, rulings: new Set(positions(index.rulings)), restated: new Set(positions(index.restated)), asks: new Set(shared.asks ?? []), kept: new Map() };
  };
  const postingsOf = (found) => {
    if (!found.names) [found.names, found.units] = found.postings.map(positions);
    return found;
  };
  /** The names of an entry, each with its stems, without words that are ignored. */
  const namesOf = (game, entry) =>
    (game.names[entry] ??= [game.entries[entry][1], ...game.entries[entry].slice(4)].map((spelling) => {
      const words = foldWords(spelling);
      return { spelling, joined: words.join(""), stems: contentOf(game, words).map(stem) };
    }));

  // --- words

  /** The words without common ones such as "how", or all words if every one is common. */
  const contentOf = (game, words) => {
    const isIgnored = (word) => game.ignored.has(word) || game.ignored.has(stem(word));
    const rest = words.filter((word, place) => !isIgnored(word) && !(words[place - 1] === "how" && ["long", "many", "much"].includes(word)));
    return rest.length ? rest : words;
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
  /**
   * The number of edits from one word to another, with a transposition as one edit. More than `most` count as `most` +
   * 1.
   */
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
  const isNumber = (word) => /^\d+$/.test(word);
  const hasWord = (game, word, isLast) => game.forms.has(stem(word)) || game.vocabulary.has(stem(word)) || (isLast && !isNumber(word) && !beginningWith(game, word).next().done);
  /** The words of a game closest to a misspelt one, the most likely first. */
  const corrections = (game, typed) => {
    if (typed.length < ONE_TYPO || isNumber(typed)) return [];
    let closest = typed.length < TWO_TYPOS ? 1 : 2, found = [];
    for (const each of game.spelled) {
      const number = edits(typed, each.word, closest);
      if (number < closest) found = [];
      if (number <= closest) (closest = number), found.push(each);
    }
    const size = ({ word, postings }) => 4 * (postings[0].length + postings[1].length) - 9 * Math.abs(word.length - typed.length) + (word[0] === typed[0] ? 8 : 0);
    return found.sort((a, b) => size(b) - size(a));
  };

  /**
   * The matches of a typed word. `names` and `units` map positions to the quality of the match, `own` is the stem of
   * the word, `rarity` is 16 for each halving of the share of positions that have it, `stems` has the stems that match,
   * and `meant` is the correction of a misspelt word.
   */
  const matchOf = (game, typed, isFirst, isLast, isMisspelt) => {
    const key = `${typed} ${isFirst} ${isLast} ${isMisspelt}`;
    if (game.kept.has(key)) return game.kept.get(key);
    const match = { own: stem(typed), names: new Map(), units: new Map(), stems: new Set([stem(typed)]), words: new Set(), rarity: 0, meant: "" };
    const put = (places, place, quality) => (places.get(place) ?? 0) < quality && places.set(place, quality);
    const add = (found, quality) => {
      match.words.add(found.word);
      for (const entry of postingsOf(found).names) put(match.names, entry, quality);
      for (const unit of found.units) put(match.units, unit, quality);
    };
    const addForms = (own, quality, same) => {
      for (const found of game.forms.get(own) ?? []) add(found, found.word === same ? SAME : quality);
    };
    addForms(stem(typed), FORM, typed);
    const own = match.units.size + match.names.size;
    const addSynonyms = (word, quality) => {
      for (const { words, wider } of game.synonyms.get(stem(word)) ?? [])
        if (words.length === 1) {
          match.stems.add(stem(words[0]));
          addForms(stem(words[0]), Math.floor((Math.max((own ? ASIDE : SYNONYM) - 10 * wider, 40) * quality) / 100), "");
        }
    };
    addSynonyms(typed, SAME);
    if ((isLast || isMisspelt) && !isNumber(typed) && typed.length > (isFirst ? 0 : 1)) for (const found of beginningWith(game, typed)) add(found, BEGINS + Math.floor((35 * typed.length) / found.word.length));
    if (isMisspelt && !match.words.size) {
      const words = corrections(game, typed);
      match.meant = words[0]?.word ?? "";
      for (const found of words) {
        add(found, MISSPELT);
        match.stems.add(stem(found.word));
        addSynonyms(found.word, MISSPELT);
      }
    }
    const size = own || match.units.size + match.names.size;
    const all = game.owner.length + game.entries.length;
    match.rarity = Math.round(16 * Math.log2(1 + all / Math.max(1, size)));
    // A number that is not in the book is an amount, such as an amount of damage, and counts less.
    if (isNumber(typed) && !own) match.rarity >>= 2;
    if (game.weak.has(stem(typed))) match.rarity = Math.floor(match.rarity / 2);
    if (game.kept.size > MAX_KEPT) game.kept.clear();
    game.kept.set(key, match);
    return match;
  };

  // --- wordings

  /**
   * Possible wordings of the typed words as `{words, share, wider}`. `share` is the percentage of words that synonyms
   * replace.
   */
  const wordingsOf = (game, typed) => {
    const words = contentOf(game, typed);
    const others = [{ words, share: 0, wider: 0 }];
    const has = (word) => game.forms.has(stem(word));
    const replace = (list, from, number, by) => [...list.slice(0, from), ...by, ...list.slice(from + number)];
    words.forEach((word, place) => {
      if (place + 1 < words.length && game.known.has(word + words[place + 1])) others.push({ words: replace(words, place, 2, [word + words[place + 1]]), share: 0, wider: 0 });
      if (!has(word) && word.length <= MAX_COMPOUND)
        for (let cut = 3; cut <= word.length - 3; cut++)
          if (has(word.slice(0, cut)) && has(word.slice(cut))) others.push({ words: replace(words, place, 1, [word.slice(0, cut), word.slice(cut)]), share: 0, wider: 0 });
    });
    for (let number = Math.min(4, typed.length); number; number--)
      for (let place = 0; place + number <= typed.length; place++)
        for (const { words: other, wider } of game.synonyms.get(typed.slice(place, place + number).map(stem).join(" ")) ?? [])
          if ((number > 1 || other.length > 1) && other.every(has))
            others.push({ words: contentOf(game, replace(typed, place, number, other)), share: Math.floor((100 * number) / typed.length), wider });
    return others.slice(0, MAX_WORDINGS);
  };

  // --- score

  /** The entries for one wording. `unit` is -1 if no unit has a word. */
  const fits = (game, words, isKnown) => {
    const { entries, owner, first, kinds, kindStems } = game;
    const matches = words.map((word, place) => matchOf(game, word, place === 0, place === words.length - 1, !isKnown(word, place === words.length - 1)));
    const total = matches.reduce((sum, { rarity }) => sum + rarity, 0);
    // Numbers are the values of a calculator's inputs.
    const totalOfCalculator = matches.reduce((sum, { rarity }, place) => sum + (isNumber(words[place]) ? 0 : rarity), 0) || total;
    const left = matches.some(({ names, units }) => !names.size && !units.size);
    const crude = new Map();
    const inText = matches.map(() => new Map());
    const raise = (entry, number) => crude.set(entry, (crude.get(entry) ?? 0) + number);
    const typesOf = matches.map(({ stems }) => new Set(kindStems.flatMap((own, kind) => (own.some((word) => stems.has(word)) ? kind : []))));
    matches.forEach(({ names, units, rarity }, place) => {
      const text = inText[place];
      for (const [unit, quality] of units) {
        const entry = owner[unit];
        if ((text.get(entry) ?? 0) < quality) text.set(entry, quality);
      }
      for (const [entry, quality] of text) raise(entry, Math.max(UNIT * quality, NAME * (names.get(entry) ?? 0)) * rarity);
      for (const [entry, quality] of names) if (!text.has(entry)) raise(entry, NAME * quality * rarity);
      if (typesOf[place].size) entries.forEach(([type], entry) => typesOf[place].has(type) && !names.has(entry) && !text.has(entry) && raise(entry, KIND * SAME * rarity));
    });
    const listed = [...crude].sort((a, b) => b[1] - a[1]).slice(0, MAX_COMPARED);
    const stems = words.map(stem);
    return listed.flatMap(([entry]) => {
      const [type, , , above] = entries[entry];
      const named = NAME * shareOfName(game, entry, matches);
      const base = matches.map(({ names }, place) => {
        let best = Math.max(Math.floor((named * (names.get(entry) ?? 0)) / 100), TEXT * (inText[place].get(entry) ?? 0), typesOf[place].has(type) ? KIND * SAME : 0);
        for (let parent = above; parent >= 0; parent = entries[parent][3]) best = Math.max(best, TRAIL * (names.get(parent) ?? 0));
        return best;
      });
      // A unit's own words count more in choosing the best unit. They do not count twice in the score if the name has
      // them.
      let best = -1, choice = -1, unit = -1;
      for (let each = first[entry]; each < first[entry + 1]; each++) {
        let sum = 0, own = 0;
        matches.forEach(({ units, rarity }, place) => {
          const here = units.get(each) ?? 0;
          own += rarity * UNIT * here;
          const near = Math.max(each > first[entry] ? (units.get(each - 1) ?? 0) : 0, each + 1 < first[entry + 1] ? (units.get(each + 1) ?? 0) : 0);
          sum += rarity * Math.max(base[place], UNIT * here, NEAR * near);
        });
        if (own && sum + Math.floor(own / OWN) > choice) [best, choice, unit] = [sum, sum + Math.floor(own / OWN), each];
      }
      if (unit < 0) best = matches.reduce((sum, { rarity }, place) => sum + rarity * base[place], 0);
      const share = Math.floor(best / (10 * (type === "x" ? totalOfCalculator : total)));
      if (share < LEAST) return [];
      const isIn = (place) => base[place] > 0 || (unit >= 0 && matches[place].units.has(unit));
      const isWhole = !left && words.every((_, place) => isIn(place));
      const { fit, name } = nameFit(game, entry, matches, words, stems, typesOf, type);
      const rank = typeof type === "number" ? kinds[type][3] * RANK : BY_TYPE[type];
      return [{ game, entry, unit, share, fit, isWhole, name, score: share + fit - rank, matches }];
    });
  };
  /** How much a match in a name counts in percent. The more other words the name has, the less it counts. */
  const shareOfName = (game, entry, matches) => {
    let best = 0;
    for (const { stems } of namesOf(game, entry))
      best = Math.max(best, stems.filter((each) => matches.some((match) => match.stems.has(each))).length / Math.max(1, stems.length));
    return PART_OF_NAME + Math.floor((100 - PART_OF_NAME) * best);
  };
  /** The points that the best-matching name of an entry adds, and the position of that name. */
  const nameFit = (game, entry, matches, words, stems, typesOf, type) => {
    let best = { fit: 0, name: 0 };
    const isNamed = words.every((_, place) => matches[place].names.has(entry) || typesOf[place].has(type)) && matches.some(({ names }) => names.has(entry));
    const total = matches.reduce((sum, { rarity }) => sum + rarity, 0);
    const quality = isNamed ? Math.min(...matches.map(({ names }, place) => names.get(entry) ?? (typesOf[place].has(type) ? FORM : 0))) : 0;
    namesOf(game, entry).forEach((own, name) => {
      let fit = 0;
      if (own.joined === words.join("")) fit = IS_NAME + 1;
      else if (own.stems.join(" ") === stems.join(" ")) fit = IS_NAME;
      else if (isNamed) {
        const used = own.stems.filter((each) => matches.some((match) => match.stems.has(each) || [...match.words].some((word) => stem(word) === each)));
        const letters = (list) => list.reduce((sum, word) => sum + word.length, 0);
        if (used.length) fit = Math.floor(((IN_NAME + Math.floor((NAME_SHARE * letters(used)) / Math.max(1, letters(own.stems)))) * (quality < FORM ? quality * quality : 10000)) / 10000);
      } else if (own.stems.length && own.stems.every((each) => matches.some((match) => match.stems.has(each)))) {
        // A name that only synonyms of the words contain counts less.
        const weightOf = ({ own: typed, stems: meant }) => (own.stems.includes(typed) ? SAME : own.stems.some((each) => meant.has(each)) ? ASIDE : 0);
        const rarity = matches.reduce((sum, match) => sum + Math.floor((match.rarity * weightOf(match)) / 100), 0);
        fit = Math.floor((HAS_NAME * rarity) / total);
      }
      fit -= name;
      if (fit > best.fit) best = { fit, name };
    });
    return best;
  };
  /** Add points to a result if neighbouring words, as typed, are close to each other in its unit. */
  const addPairs = (result) => {
    const { game, entry, unit, matches, words } = result;
    if (unit < 0) return;
    const content = contentOf(game, foldWords(game.units[entry][unit - game.first[entry]])).map(stem);
    const is = (place, word) => matches[place].stems.has(word);
    const [type] = game.entries[entry];
    const isKind = (place) => typeof type === "number" && game.kindStems[type].some((word) => is(place, word));
    let pairs = 0, all = 0;
    for (let place = 0; place + 1 < matches.length; place++) {
      const rarity = Math.min(matches[place].rarity, matches[place + 1].rarity);
      all += rarity;
      // A number belongs to the word before it, which may be the kind of the entry.
      const isOrdered = isNumber(words[place + 1]);
      if (isOrdered && isKind(place) && content.some((word) => is(place + 1, word))) pairs += 2 * rarity;
      else if (content.some((word, at) => is(place, word) && (is(place + 1, content[at + 1]) || (!isOrdered && (is(place + 1, content[at + 2]) || is(place + 1, content[at - 1])))))) pairs += rarity;
    }
    const matched = content.filter((word) => matches.some(({ stems }) => stems.has(word))).length;
    result.score += Math.floor((PAIR * pairs) / Math.max(1, all)) + Math.floor((COVER * matched) / content.length);
  };

  /** Whether any entry has a name that consists of these folded words. */
  const isName = (game, words) => {
    const known = game.known.get(words[0]);
    return known !== undefined && postingsOf(known).names.some((entry) => namesOf(game, entry).some((own) => own.joined === words.join("")));
  };
  /**
   * The games that the words name by title or id, or else all games, and the words to search for. A name that an entry
   * has, too, does not count. A game's name is removed from the words only after a common word, as in "in Chess".
   */
  const ofNamedGames = (games, typed) => {
    const words = foldWords(typed).slice(0, MAX_TYPED), stems = words.map(stem), rest = [...words];
    const named = games.filter((game) =>
      [game.title, game.game].some((name) => {
        const folded = foldWords(name), own = folded.map(stem);
        const at = own.length ? stems.findIndex((_, place) => own.every((each, next) => stems[place + next] === each)) : -1;
        if (at < 0 || games.some((other) => isName(other, folded))) return false;
        if (at && game.ignored.has(words[at - 1])) rest.fill("", at, at + own.length);
        return true;
      }));
    const told = rest.filter(Boolean), isTold = named.some(({ ignored }) => told.some((word) => !ignored.has(word)));
    return [named.length ? named : games, isTold ? told : words];
  };

  /**
   * Rank the entries of opened games for typed words: `{found, meant, isWhole}`. The results in `found`, the best
   * first, have `game`, `entry`, `unit`, `score`, `share`, `isWhole`, `name` and `words`, among others. `name` is the
   * position of the matching spelling, `unit` the position of the best unit or -1. `isWhole`: whether any entry has all
   * words. `meant`: the words with corrected spelling, if they need it.
   */
  const order = (a, b) => b.score - a.score || a.entry - b.entry;
  const rank = (opened, typed) => {
    const [games, words] = ofNamedGames(opened, typed);
    let isWhole = false, isAnswered = false, meant = "";
    const found = [];
    if (!words.length) return { found, meant, isWhole };
    const isKnown = (word, isLast) => games.some((game) => hasWord(game, word, isLast));
    for (const game of games) {
      const best = new Map();
      const asks = words.some((word) => game.asks.has(word));
      for (const { words: wording, share: replaced, wider } of wordingsOf(game, words)) {
        const results = fits(game, wording, isKnown);
        for (const result of results) {
          const [type] = game.entries[result.entry];
          if (replaced) result.score -= result.fit >> 1;
          result.score -= Math.floor((REPLACED * replaced) / 100) + WIDER * wider + (type === "x" && !asks ? LAST : 0);
          result.words = wording;
          isWhole ||= result.isWhole;
          const isMisspelt = result.matches.some((match) => match.meant);
          isAnswered ||= result.isWhole && !isMisspelt;
          if (!meant && isMisspelt && !replaced) meant = wording.map((word, place) => result.matches[place].meant || word).join(" ");
          if (!(best.get(result.entry)?.score >= result.score)) best.set(result.entry, result);
        }
      }
      // Two headings may share an address, as a chapter and its title do.
      const seen = new Set();
      for (const result of [...best.values()].sort(order)) {
        const address = game.entries[result.entry][2];
        if (!seen.has(address)) seen.add(address), found.push(result);
      }
    }
    found.sort(order);
    const close = found.splice(0, MAX_PAIRED);
    close.forEach(addPairs);
    return { found: [...close.sort(order), ...found], meant: isAnswered ? "" : meant, isWhole };
  };
  /** Whether a result is an answer, because it has enough of the words. */
  const isAnswer = ({ share }) => share >= ANSWER;
  const isCalculator = ({ game, entry }) => game.entries[entry][0] === "x";
  /** The answer among ranked results, and the calculator to show beside it. There may be none, one or two results. */
  const answers = (found) => {
    const near = found.slice(0, MAX_ANSWERS);
    const texts = near.filter((result) => !isCalculator(result));
    const likely = texts.filter((result) => isAnswer(result) && result.game.units[result.entry].length);
    const calculators = near.filter((result) => isCalculator(result) && isAnswer(result));
    const isBeside = (calculator, { game, entry }) => calculator.game === game && [entry, game.entries[entry][3]].includes(game.entries[calculator.entry][3]);
    // If the words ask for a calculator, that is the answer, with the best text of the same section.
    if (calculators.length && calculators[0] === near[0]) return [...likely.filter((text) => isBeside(near[0], text)).slice(0, 1), near[0]];
    if (!likely.length || likely[0] !== texts[0]) return [];
    return [likely[0], ...calculators.filter((calculator) => isBeside(calculator, likely[0])).slice(0, 1)];
  };
  /**
   * The position of the first unit in the passage of a result. A unit that only repeats the name, as that of a term
   * may, is skipped if another follows.
   */
  const startOf = ({ game, entry, unit }) => {
    const [first, end] = game.first.slice(entry, entry + 2), start = Math.max(unit, first);
    return start + (start + 1 < end && game.units[entry][start - first] === game.entries[entry][1] ? 1 : 0);
  };
  /** Whether the editors wrote the passage of a result, about a question that the book leaves open. */
  const isRuling = (result) => result.game.units[result.entry].length > 0 && result.game.rulings.has(startOf(result));
  const ENDED = /[.!?…:]["”’)]*$/;
  /** The start of a unit that says one thing by itself: `HP: 22`. */
  const FIELD = /^[^.:·!?]+: /;
  /**
   * The unit of a result and its neighbours, with at most `most` characters. Text of the book, text of the editors and
   * text made from fields are never in one passage. A unit with a label answers by itself.
   */
  const passage = (result, most) => {
    if (isCalculator(result)) return [];
    const { game, entry } = result, first = game.first[entry], units = game.units[entry], start = startOf(result) - first;
    const line = units.slice(start, start + 1);
    const fits = (at) => line.join(" ").length + units[at]?.length <= most
      && [game.rulings, game.restated].every((group) => group.has(first + at) === group.has(first + start));
    const isField = result.unit - first === start && FIELD.test(line);
    for (let at = start + 1; fits(at) && !(isField && (FIELD.test(units[at]) || !ENDED.test(units[at - 1]))); at++) line.push(units[at]);
    return !isField && ENDED.test(units[start - 1]) && fits(start - 1) ? [units[start - 1], ...line] : line;
  };
  /** The separator after a unit in a line. */
  const between = (unit) => (ENDED.test(unit) ? " " : " · ");

  /** The ranges of a text whose words match words of a result. */
  const marks = (text, { matches = [] }) => {
    const { folded, from } = kismet.foldText(text);
    const ranges = [];
    let at = 0;
    for (const word of folded.split(" ")) {
      if (matches.some((match) => match.words.has(word) || match.stems.has(stem(word)))) ranges.push([from[at], from[at + word.length] ?? text.length]);
      at += word.length + 1;
    }
    return ranges;
  };

  Object.assign(kismet, { openIndex: open, rankEntries: rank, contentWords: contentOf, isAnswer, answersAmong: answers, passageOf: passage, isRuling, betweenUnits: between, markWords: marks });
})();
