// The words of the website for scripts. The build writes the sentences of a language below, as assets/strings-<language>.js.
// Without this declaration, `kismet` is the element with that id, such as a heading.
var kismet;
(() => {
  const kismet = (globalThis.kismet ??= {});

  /** Set the language of `t`, `decimal` and `percent`; catalog.py has the same functions. */
  kismet.setStrings = ({ language, textLanguage, sentences, decimal, group, percent }) => {
    /** The language of the texts: it has English words where it has none of its own. */
    kismet.textLanguage = textLanguage;
    const plurals = new Intl.PluralRules(language);
    const count = (number) => `${number}`.replace(/\B(?=(\d{3})+$)/g, group);
    /** The sentence with a key as plain text, with its arguments by name; `n` decides between its forms. */
    kismet.t = (key, values = {}) => {
      const sentence = sentences[key];
      const form = typeof sentence === "string" ? sentence : (sentence[plurals.select(values.n)] ?? sentence.other);
      return form.replace(/\{(\w+)\}/g, (_, name) => (name === "n" ? count(values.n) : values[name]));
    };
    /** A number with the decimal mark of the language; `digits` has a point. */
    kismet.decimal = (digits) => `${digits}`.replace(".", decimal);
    /** A number of percent as the language writes it; without digits, what follows it. */
    kismet.percent = (digits) => percent.replace("{}", kismet.decimal(digits));
  };
})();
