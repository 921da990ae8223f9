// Full-text search in a game whose Pagefind index is divided into shards, with the same scores as in a single index.
//
// Pagefind scores a page by statistics of its own index: the number of pages with a term, and the length of the pages.
// So scores from two shards cannot be compared. The verbose results that Pagefind returns in playground mode contain
// all terms of a score. This script adds up these statistics over all shards and recomputes each score.
(() => {
  const kismet = (globalThis.kismet ??= {});
  // Pagefind's defaults, passed to every shard, because `frequency` and `metaScore` compute with the same numbers.
  const RANKING = { termSimilarity: 1, pageLength: 0.75, termSaturation: 1.4, termFrequency: 1, diacriticSimilarity: 0.8, metaWeights: { title: 5 } };

  /** Minimum length of a stem for which all longer words are loaded. A shorter stem has too many of them. */
  const MIN_EXTENDED = 3;

  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  /** Split typed words into terms as Pagefind does, before stemming. */
  const termsOf = (words) => words.toLowerCase().replace(/[\p{Pd}\p{Pe}\p{Pf}\p{Pi}\p{Po}\p{Ps}]/gu, "").split(/\s+/).filter(Boolean);
  const withoutMarks = (term) => term.normalize("NFD").replace(/\p{M}/gu, "");
  const idf = (pages, total) => Math.log((total + 1) / (pages + 0.5));

  /**
   * Open the shards of a game. `listed` has a list for each shard: name (its folder), digest of the text, number of
   * pages, number of words.
   */
  kismet.openShards = async (folder, listed, options) => {
    const { Pagefind } = await import(`${folder}pagefind.js`);
    const [first, ...others] = listed;
    const optionsOf = (digest) => ({ ...options, ranking: RANKING, metaCacheTag: digest });
    // The first shard has the WebAssembly module, which the others share.
    const own = new Pagefind({ basePath: `${folder}${first[0]}/`, ...optionsOf(first[1]) });
    const merged = others.map(([name, digest]) => own.mergeIndex(`${folder}${name}/`, optionsOf(digest)));
    // A missing shard only excludes its own pages.
    const opened = await Promise.allSettled([Promise.resolve(), ...merged]);
    const isOpen = (_, number) => opened[number].status === "fulfilled";
    const shards = own.instances.filter(isOpen), sizes = listed.filter(isOpen);
    await Promise.all(shards.map((shard) => shard.enterPlaygroundMode()));
    const pages = sum(sizes.map((size) => size[2]));
    const pageLength = sum(sizes.map((size) => size[3])) / pages;
    return { search: (words) => search(shards, { pages, pageLength }, words) };
  };

  const search = async (shards, total, words) => {
    let found = await Promise.all(shards.map((shard) => shard.search(words)));
    // An exact phrase, in quotation marks, has scores without statistics.
    const stems = found.find((answer) => answer.query_term_idfs)?.query_term_idfs.map(({ term }) => term);
    if (!stems) return { results: found.flatMap(({ results }) => results).sort((a, b) => b.score - a.score) };
    found = await Promise.all(shards.map(async (shard, number) => ((await loadExtensions(shard, stems)) ? shard.search(words) : found[number])));
    const typed = termsOf(words);
    const terms = typed.length === stems.length ? typed : stems;
    const matches = await Promise.all(terms.map((term, place) => matchesOf(shards, term, stems[place])));
    const query = { stems, terms: terms.map(withoutMarks), idfs: matches.map(({ pages }) => idf(pages, total.pages)) };
    const isComplete = (_, shard) => matches.every(({ inShard }) => inShard[shard]);
    const results = found.filter(isComplete).flatMap((answer) => answer.results.map((result) => ({ ...result, score: score(result, query, total) })));
    return { results: results.sort((a, b) => b.score - a.score) };
  };

  /**
   * Load the files with words that start with the stems, and return whether any of them was not loaded before. Pagefind
   * only loads the file for the stem itself. Words that start with the stem may be in the files that follow.
   */
  const loadExtensions = async (shard, stems) => {
    const files = () => Object.keys(shard.loaded_chunks).length;
    const before = files();
    const long = stems.filter((stem) => stem.length >= MIN_EXTENDED);
    await shard.preload(long.flatMap(extensionsOf).join(" "));
    return files() > before;
  };
  /** A stem followed by each letter near its last one in Unicode, which covers the alphabet of that letter. */
  const extensionsOf = (stem) => {
    const last = stem.codePointAt(stem.length - 1);
    return Array.from({ length: 63 }, (_, place) => stem + String.fromCodePoint(Math.max(last - 31, 0) + place));
  };

  /**
   * The number of pages with words that start with a term, and whether each shard may have results. If a shard has no
   * such word, Pagefind uses the longest word that the term starts with; this must not count if another shard has a
   * better match.
   */
  const matchesOf = async (shards, term, stem) => {
    const found = await Promise.all(shards.map((shard) => shard.search(term)));
    const lengths = found.map(({ results: [result] }) => (result ? Math.min(wordsOf(result)[0].length, stem.length) : 0));
    const best = Math.max(...lengths);
    const inShard = lengths.map((length) => length === best);
    return { inShard, pages: best && sum(found.map(({ results }, shard) => (inShard[shard] ? results.length : 0))) };
  };
  const wordsOf = ({ scores = [], verbose_meta_scores = [] }) => [...scores.map((part) => part.search_term), ...verbose_meta_scores.flatMap((field) => field.matched_terms)];

  /** The score of a page as Pagefind computes it, but with the statistics of all shards. */
  const score = (result, query, total) => {
    const fields = result.verbose_meta_scores ?? [];
    const meta = sum(fields.map((field) => field.coverage_boost));
    let before = 0, after = 0;
    for (const part of result.scores) {
      const place = placeOf(part.search_term, query.stems);
      const bonus = isSimilar(part.search_term, query.terms[place]) ? 1 + RANKING.diacriticSimilarity : 1;
      before += bonus * part.score;
      after += bonus * query.idfs[place] * frequency(part.params, result.params.document_length / total.pageLength);
    }
    return (before && ((result.score - meta) * after) / before) + sum(fields.map((field) => metaScore(field, query)));
  };
  /** Position of the term that a word matches: the word starts with the stem of the term, or else the stem starts with the word. */
  const placeOf = (word, stems) => {
    const place = stems.findIndex((stem) => word.startsWith(stem));
    return place < 0 ? stems.findIndex((stem) => stem.startsWith(word)) : place;
  };
  const isSimilar = (word, term) => word.startsWith(term) || term.startsWith(word);
  /** BM25 frequency of a word in a page. */
  const frequency = ({ weighted_term_frequency, length_bonus }, relativeLength) => {
    const count = weighted_term_frequency * length_bonus, { termSaturation, pageLength } = RANKING;
    return ((termSaturation + 1) * count) / (termSaturation * (1 - pageLength + pageLength * relativeLength) + count);
  };
  const metaScore = ({ field_weight, matched_terms }, { stems, idfs }) => {
    const matched = sum(matched_terms.map((word) => idfs[placeOf(word, stems)]));
    return field_weight * matched * (matched / sum(idfs)) ** 2;
  };
})();
