// The website's strings for scripts. The build appends the strings of a language and writes
// assets/strings-<language>.js. Without this declaration, `kismet` is the element with that id, such as a heading.
var kismet;
(() => {
  const kismet = (globalThis.kismet ??= {});

  /** Set the language of `t`, `decimal` and `percent`; catalog.py has the same functions. */
  kismet.setStrings = ({ language, textLanguage, sentences, decimal, group, percent }) => {
    /** The language of the strings. If a string is missing in this language, it is in English. */
    kismet.textLanguage = textLanguage;
    const plurals = new Intl.PluralRules(language);
    const count = (number) => `${number}`.replace(/\B(?=(\d{3})+$)/g, group);
    /** The string for a key, as plain text. Arguments are given by name; `n` selects the plural form. */
    kismet.t = (key, values = {}) => {
      const sentence = sentences[key];
      const form = typeof sentence === "string" ? sentence : (sentence[plurals.select(values.n)] ?? sentence.other);
      return form.replace(/\{(\w+)\}/g, (_, name) => (name === "n" ? count(values.n) : values[name]));
    };
    /** A number with the decimal mark of the language. `digits`: the number with a decimal point. */
    kismet.decimal = (digits) => `${digits}`.replace(".", decimal);
    /** A percentage in the format of the language. Without digits, only the part after the number. */
    kismet.percent = (digits) => percent.replace("{}", kismet.decimal(digits));
  };
})();
