import type { CalculatorId, CalculatorOf, Entities, InputValue, ItemOf, KnownCalculator, Pack, PackItem } from "./types.js";

export type * from "./types.js";

/** Every entity, section, table and calculator of the game, as in pack.json. */
export declare const pack: Pack;
/** Every name, folded, with the ids that it may refer to, the defining one first. */
export declare const names: { readonly fold: string; readonly names: Readonly<Record<string, readonly string[]>> };
/** A place in the book that was found. */
export interface Found {
  /** The id of the entity, section or calculator; null for other pages, such as that of a kind. */
  readonly id: string | null;
  readonly name: string;
  /** The kind of an entity, or `section`, `chapter`, `calculator`, `sheet`, `board`, `tag`, `kind`, `unwritten`. */
  readonly kind: string;
  /** What stands there: the sentence, row or field that fits best, and short ones after it. Empty for a calculator. */
  readonly passage: string;
  /** Whether the passage is not of the book, but by its editors: a question that it leaves open, and their ruling. */
  readonly ruling: boolean;
  /** The titles of the chapter and headings above it. */
  readonly place: readonly string[];
  /** Its address, relative to that of the website. */
  readonly url: string;
  /** The higher, the better it fits. */
  readonly score: number;
}
/** What the rules say to a question. */
export interface Answer {
  /** The answer; null if the rules do not say. */
  readonly found: Found | null;
  /** A calculator for the answer, which may be the answer itself. */
  readonly calculator: Found | null;
  /** Other places, the best first. */
  readonly nearest: readonly Found[];
}
/** The places that fit words or a question, the best first; 10 unless another limit is given. */
export declare function search(question: string, limit?: number): Found[];
/** The answer to a question, if the rules have one, and the places nearest to it. */
export declare function ask(question: string): Answer;
/**
 * The entity, section, table or calculator that an id or a name means, or undefined. An id may be an earlier one. A name means
 * an entity before a section, and that before a table. `kind`: only an entity of this kind.
 *
 * Throws a RangeError with the code "ambiguous-name" if the name has several meanings.
 */
export declare function get<const Id extends string>(name: Id): ItemOf<Id> | undefined;
export declare function get<Kind extends keyof Entities>(name: string, kind: Kind): Entities[Kind][number] | undefined;
/** A name, folded as in names.json. */
export declare function fold(name: string): string;
/** What a name refers to: entities, sections and tables, the definition first. */
export declare function find(name: string): PackItem[];
/** The complete text of an entity or a section, or an empty string for a table or a calculator. */
export declare function textOf(item: PackItem, form?: "text" | "html"): string;
/**
 * The result of a calculator, by its id or the last part of it: an entity is its id, dice are their notation. Inputs that are
 * left out have their defaults.
 *
 * Throws a RangeError with `code` and, for a value, the name of its `input`, if there is no such calculator or input or
 * if the input does not accept the value; an Error with `code` if the rules have no result for the values.
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
  /** The chance that a die which rolls again reaches its limit of rolls: the maximum error of any chance. */
  readonly tail: number;
  /** Each result and its chance, in ascending order. */
  readonly outcomes: readonly (readonly [number, number])[];
}
/**
 * The exact odds of a roll, such as "2d6 + 1" or "d20 adv". Throws a RangeError with the code "dice" if it is not such a
 * roll or has too many dice.
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
  /** The titles of the columns in which the roll chooses a cell. */
  readonly columns: readonly string[];
  /** The words of these cells. */
  readonly cells: readonly string[];
}
/**
 * Roll on a table, by its id or a name, or look up the result `value`. `column`: the title of the column to roll on, if each
 * has a roll of its own; by default the first. `random` returns a number from 0 to 1, without 1. A result without a row
 * is rolled again.
 *
 * Throws a RangeError with the code "unknown-table", "no-dice", "unknown-column" or "no-row".
 */
export declare function rollTable(
  table: string,
  options?: { readonly value?: number; readonly column?: string; readonly random?: () => number },
): TableRoll;
/** An effect of a state, and what it does to a roll. */
export interface Influence {
  /** Names the effect in answers: `on/kismet/condition/prone/2` is the third effect of a state of the roller. */
  readonly key: string;
  readonly effect: Extract<PackItem, { effects: readonly unknown[] }>["effects"][number];
  /** The name of the calculator's input that takes its value; null if no input does. */
  readonly input: string | null;
  /** The conditions that no chosen state answers, and `given` if whoever uses the effect must give its value. */
  readonly asks: readonly string[];
  /** The values for the input. */
  readonly values: readonly unknown[];
}
/** The chance of a roll with states of both sides. */
export interface Situation {
  /** The id of the calculator that gives the result. */
  readonly calculator: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly result: unknown;
  /** The effects that count. */
  readonly applied: readonly Influence[];
  /** Effects that need an answer. */
  readonly asked: readonly Influence[];
  /** Effects that no input takes, and effects that another one replaces. */
  readonly left: readonly Influence[];
}
/**
 * The chance of a roll, by its id, with states of the one who rolls (`on`) and of the other side (`target`). A state is the id, `kind/slug` or
 * name of an entity with effects. `values`: those of other inputs of the roll's calculator. `answers`: by the key of an
 * influence that needs one, true if its condition or its exception applies, or its value, which implies that its condition
 * applies.
 *
 * Throws a RangeError with the code "unknown-roll", "unknown-state", "unknown-effect" or "wrong-type", and those of `calculate`.
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
