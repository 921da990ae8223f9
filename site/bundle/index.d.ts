import type { Pack, PackItem } from "./types.js";

export type * from "./types.js";

/** Every entity, section, table and calculator of the game, as in pack.json. */
export declare const pack: Pack;
/** Every name, folded, with the ids that it may refer to, the defining one first. */
export declare const names: { readonly fold: string; readonly names: Readonly<Record<string, readonly string[]>> };
/** The entity, section, table or calculator with an id, or undefined. */
export declare function get(id: string): PackItem | undefined;
/** A name, folded as in names.json. */
export declare function fold(name: string): string;
/** What a name refers to: entities, sections and tables, the definition first. */
export declare function find(name: string): PackItem[];
/** The complete text of an entity or a section, or an empty string for a table or a calculator. */
export declare function textOf(item: PackItem, form?: "text" | "html"): string;
/** A value of an input: a number, true or false, an option, or an entity by id, slug, `kind/slug`, name or alias. */
export type InputValue = number | boolean | string;
/**
 * The result of a calculator, by its id or the last part of it. Inputs that are left out have their defaults.
 *
 * Throws a RangeError with `code` and, for a value, the name of its `input`, if there is no such calculator or input or
 * if the input does not accept the value; an Error with `code` if the rules have no result for the values.
 */
export declare function calculate(
  id: string,
  values?: Readonly<Record<string, InputValue | readonly InputValue[] | undefined>>,
): unknown;
