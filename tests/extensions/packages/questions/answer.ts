// Answer questions from the data of any game.

export interface Entry {
  readonly id: string;
  readonly kind?: string;
}
export interface Data {
  readonly pack: {
    readonly kinds: object;
    readonly entities: object;
    readonly sections: readonly (Entry & { readonly entities: readonly string[] })[];
  };
  readonly names: { readonly names: Readonly<Record<string, readonly string[]>> };
  readonly fold: (name: string) => string;
  readonly textOf: (item: any) => string;
}

const SMALL_WORDS = new Set(
  ("a against an and am are at be can do does for from get had has have how i if in is it its long many may me much my " +
    "of on or that the there this to was were what when where which who why with you your").split(" "),
);

/** The id and the text of the entry with most words of a question; its name counts as another word. */
export const answers = ({ pack, names, fold, textOf }: Data, questions: readonly string[]): [string, string][] => {
  const lists: readonly Entry[][] = Object.values(pack.entities);
  const kinds: Readonly<Record<string, { title: string; plural: string }>> = { ...pack.kinds };
  const entries = [...lists.flat(), ...pack.sections.filter((section) => section.entities.length === 0)];
  entries.sort((one, other) => (one.id < other.id ? -1 : 1));
  const wordsOf = new Map(entries.map((entry) => [entry.id, new Set(fold(textOf(entry)).match(/[\p{L}\p{N}]+/gu))]));
  for (const [name, ids] of Object.entries(names.names)) {
    for (const id of ids) for (const word of name.split(" ")) wordsOf.get(id)?.add(word);
  }

  return questions.map((question) => {
    const words = fold(question).split(" ").map((word) => word.replace(/[?.,!]+$/, "")).filter(Boolean);
    const runs = new Set(words.flatMap((_, start) => words.slice(start).map((_, end) => words.slice(start, start + end + 1).join(" "))));
    const named = new Map<string, [length: number, position: number]>();
    for (const run of [...runs].sort((one, other) => one.length - other.length)) {
      if (Object.hasOwn(names.names, run)) names.names[run]!.forEach((id, position) => named.set(id, [run.length, position]));
    }
    const content = [...new Set(words)].filter((word) => !SMALL_WORDS.has(word));
    let best: Entry | undefined;
    let highest = [0, 0, 0, 0];
    for (const entry of entries) {
      const kind = entry.kind === undefined ? undefined : kinds[entry.kind];
      const ofKind = kind !== undefined && (runs.has(fold(kind.title)) || runs.has(fold(kind.plural)));
      const [length, position] = named.get(entry.id) ?? [0, 0];
      const words = content.filter((word) => wordsOf.get(entry.id)!.has(word)).length;
      const rank = [words + (length > 0 ? 1 : 0), ofKind ? 1 : 0, length, -position];
      const differs = rank.findIndex((part, at) => part !== highest[at]);
      if (best === undefined || (differs >= 0 && rank[differs]! > highest[differs]!)) [best, highest] = [entry, rank];
    }
    return [best!.id, textOf(best)];
  });
};
