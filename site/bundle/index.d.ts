import type { CalculatorId, CalculatorOf, Entities, InputValue, ItemOf, KnownCalculator, Pack, PackItem } from "./types.js";

export type * from "./types.js";

/** Every entity, section, table and calculator of the game, as in pack.json. */
export declare const pack: Pack;
/** Every name, folded, with the ids that it may refer to. The id of the definition comes first. */
export declare const names: { readonly fold: string; readonly names: Readonly<Record<string, readonly string[]>> };
/** A search result: a place in the book. */
export interface Found {
  /** The id of the entity, section or calculator; null for any other page, such as the page of a kind. */
  readonly id: string | null;
  readonly name: string;
  /** The kind of an entity, or `section`, `chapter`, `calculator`, `sheet`, `board`, `tag`, `kind`, `unwritten`. */
  readonly kind: string;
  /** The sentence, row or field that fits best, and those after it if they are short. Empty for a calculator. */
  readonly passage: string;
  /** Whether the editors wrote the passage: a question that the book leaves open, and their ruling. */
  readonly ruling: boolean;
  /** The titles of the chapter and of the headings above the place. */
  readonly place: readonly string[];
  /** The address of the place, relative to the address of the website. */
  readonly url: string;
  /** A higher score is a better match. */
  readonly score: number;
}
/** What the rules say about a question. */
export interface Answer {
  /** The answer; null if the rules have none. */
  readonly found: Found | null;
  /** A calculator for the answer, which may be the answer itself. */
  readonly calculator: Found | null;
  /** Other places that fit the question, the best first. */
  readonly nearest: readonly Found[];
}
/** The places that fit words or a question, the best first; 10 unless another limit is given. */
export declare function search(question: string, limit?: number): Found[];
/** The answer to a question, if the rules have one, and the places nearest to it. */
export declare function ask(question: string): Answer;
/**
 * The entity, section, table or calculator that an id or a name means, or undefined. An id from an earlier version
 * works, too. If several things have a name, entities take precedence over sections, and sections over tables. `kind`:
 * find only entities of this kind.
 *
 * Throws a RangeError with the code "ambiguous-name" if the name has several meanings.
 */
export declare function get<const Id extends string>(name: Id): ItemOf<Id> | undefined;
export declare function get<Kind extends keyof Entities>(name: string, kind: Kind): Entities[Kind][number] | undefined;
/** A name, folded as in names.json. */
export declare function fold(name: string): string;
/** Everything that a name refers to: entities, sections and tables, the definition first. */
export declare function find(name: string): PackItem[];
/** The complete text of an entity or a section, or an empty string for a table or a calculator. */
export declare function textOf(item: PackItem, form?: "text" | "html"): string;
/**
 * The result of a calculator, given its id or the last part of the id. An entity in the result is its id; dice are
 * their notation. Inputs that are left out have their defaults.
 *
 * Throws a RangeError with a `code` if there is no such calculator or input, or if an input does not accept a value;
 * the error then has the name of the `input`. Throws an Error with a `code` if the rules have no result for the values.
 */
export declare function calculate<const Id extends string>(
  id: Id & (string extends Id ? string : CalculatorId extends Id ? CalculatorId : KnownCalculator),
  values?: CalculatorOf<Id>["inputs"],
): CalculatorOf<Id>["result"];
/** The exact odds of a roll. */
export interface Odds {
  readonly low: number;
  readonly high: number;
  readonly mean: number;
  /** The chance that an exploding die reaches the maximum number of rolls, which is the maximum error of any chance. */
  readonly tail: number;
  /** Each result with its chance, in ascending order of the results. */
  readonly outcomes: readonly (readonly [number, number])[];
}
/**
 * The exact odds of a roll, such as "2d6 + 1" or "d20 adv". Throws a RangeError with the code "dice" if the text is not
 * a roll or has too many dice.
 */
export declare function odds(expression: string): Odds;
/** The result of a roll on a table. */
export interface TableRoll {
  readonly id: string;
  /** The dice that are rolled, such as `1d10`. */
  readonly die: string;
  readonly value: number;
  /** The position of the row in `rows` of the table. */
  readonly row: number;
  /** The titles of the columns in which the roll chooses cells. */
  readonly columns: readonly string[];
  /** The text of these cells. */
  readonly cells: readonly string[];
}
/**
 * Roll on a table, given its id or a name, or look up the result `value`. `column`: the title of the column to roll on,
 * if each column has its own roll; the first by default. `random` returns a number from 0 up to, but not including, 1.
 * A result without a row is rolled again.
 *
 * Throws a RangeError with the code "unknown-table", "no-dice", "unknown-column" or "no-row".
 */
export declare function rollTable(
  table: string,
  options?: { readonly value?: number; readonly column?: string; readonly random?: () => number },
): TableRoll;
/** An effect of a state, and how it changes a roll. */
export interface Influence {
  /** The key of the effect in `answers`: `on/kismet/condition/prone/2` is the third effect of a state of the roller. */
  readonly key: string;
  readonly effect: Extract<PackItem, { effects: readonly unknown[] }>["effects"][number];
  /** The name of the calculator's input that takes the effect's value; null if no input does. */
  readonly input: string | null;
  /** The conditions that no chosen state meets, and `given` if you must provide the effect's value. */
  readonly asks: readonly string[];
  /** The values that the effect has for the input. */
  readonly values: readonly unknown[];
}
/** The chance of a roll with states of both sides. */
export interface Situation {
  /** The id of the calculator that gives the result. */
  readonly calculator: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  /** The effects whose values are used. */
  readonly applied: readonly Influence[];
  /** Effects that need an answer. */
  readonly asked: readonly Influence[];
  /** Effects that no input takes, and effects that another effect replaces. */
  readonly left: readonly Influence[];
}
/**
 * The chance of a roll, given its id, with states of the roller (`on`) and of the other side (`target`). A state is the
 * id, `kind/slug` or name of an entity with effects. `values`: values of other inputs of the roll's calculator.
 * `answers`: for the key of each influence that needs an answer, true if its condition or exception applies, or its
 * value, which implies that its condition applies.
 *
 * Throws a RangeError with the code "unknown-roll", "unknown-state", "unknown-effect" or "wrong-type", and the same
 * errors as `calculate`.
 */
export declare function situation(
  roll: string,
  options?: {
    readonly on?: string | readonly string[];
    readonly target?: string | readonly string[];
    readonly values?: Readonly<Record<string, InputValue | readonly InputValue[] | undefined>>;
    readonly answers?: Readonly<Record<string, InputValue | readonly InputValue[]>>;
  },
): Situation;
