// Folds and stems words in the same way as `kismet_build/mechanics/search/words.py` does for the index.
(() => {
  const kismet = (globalThis.kismet ??= {});
  const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };
  // The base form of irregular words.
  const IRREGULAR = new Map(Object.entries({
    dice: "die", foci: "focus", feet: "foot", staves: "staff", men: "man", mice: "mouse", teeth: "tooth", lying: "lie",
    died: "dying", dies: "dying", tied: "tie", lies: "lie", used: "use", using: "use", fell: "fall", fallen: "fall",
    hid: "hide", hidden: "hide", held: "hold", threw: "throw", thrown: "throw", fought: "fight", bought: "buy", sold: "sell",
    shot: "shoot", stood: "stand", broke: "break", broken: "break", lost: "lose", won: "win", worn: "wear", caught: "catch",
    taught: "teach", knew: "know", known: "know", woke: "wake", swam: "swim", ran: "run", rode: "ride", ridden: "ride",
    drew: "draw", drawn: "draw", spent: "spend", slept: "sleep", froze: "freeze", frozen: "freeze", bled: "bleed",
    struck: "strike", chose: "choose", chosen: "choose", children: "child", thieves: "thief", wolves: "wolf",
  }));
  const BRITISH = [
    [/([a-z]{2})our(?=$|s$|e[dr]$|ing$|able$)/, "$1or"],
    [/([a-z]{3})is(?=e[sdr]?$|ing$|ations?$)/, "$1iz"],
    [/lys(?=e[sdr]?$|ing$)/, "lyz"],
    [/([^aeiou])re(?=s?$)/, "$1er"],
    [/ence(?=s?$)/, "ense"],
  ];
  const DERIVED = [
    [/(?<=[a-z]{4})ly$/, ""],
    [/(?<=[a-z]{4})ment$/, ""],
    [/(?<=[a-z]{4}[st])ion$/, ""],
    [/(?<=[a-z]{3}iz)(ation|er)$/, ""],
    [/(?<=[a-z]{4})([ae])ncy$/, "$1nt"],
    [/([ai]b)ility$/, "$1le"],
  ];
  const replaced = (word, rules) => rules.reduce((plain, [pattern, by]) => plain.replace(pattern, by), word);

  /**
   * Folded text is in lower case, without accents, with single spaces between words. `from` maps each character to its
   * original offset.
   */
  const fold = (text) => {
    let folded = "";
    const from = [];
    let at = 0;
    for (const sign of text) {
      const plain = sign.toLowerCase().normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}/gu, "");
      // An apostrophe joins the letters around it into one word. Any other symbol separates words.
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
  /** The folded words of a text. Much faster than `fold`, because this does not count characters. */
  const foldWords = (text) =>
    text.toLowerCase().normalize("NFKD").replace(/(?![\u3099\u309a])\p{M}|['’‘`´]/gu, "").replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter])
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

  const stems = new Map();
  /** The stem of a folded word: without English endings, and with the American spelling where the British differs. */
  const stem = (word) => {
    let found = stems.get(word);
    if (found === undefined) stems.set(word, (found = stemmed(IRREGULAR.get(word) ?? word)));
    return found;
  };
  const stemmed = (word) => {
    if (!/^[a-z]{4,40}$/.test(word)) return word;
    let plain = replaced(word, BRITISH).replace(/(?<=[a-z]{3})iness$/, "y").replace(/(?<=[a-z]{3})ness$/, "").replace(/(?<=[a-z]{2})ied$/, "y");
    if (plain.endsWith("ies")) plain = plain.replace(/ies$/, "y");
    else if (/(ss|x|ch|sh|zz)es$/.test(plain)) plain = plain.slice(0, -2);
    else plain = plain.replace(/([il])ves$/, "$1fe").replace(/([^su])s$/, "$1");
    plain = replaced(plain, DERIVED);
    const form = plain.match(/([aeiouy][a-z]*)(ing|(?<!e)ed)$/);
    if (form && plain.length - form[2].length >= 3) plain = plain.slice(0, -form[2].length);
    return plain.replace(/([a-z]{2})e$/, "$1").replace(/([a-z]{2})y$/, "$1i").replace(/([^aeiou\d])\1$/, "$1");
  };

  Object.assign(kismet, { foldText: fold, foldWords, stemWord: stem });
})();
