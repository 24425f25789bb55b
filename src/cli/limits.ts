import { capitalized, type KeyWindow, WINDOWS } from '../auth/admission/windows.js';
import type { OptionSpec, Values } from './command.js';

/** The windows that the functions of SQL take. */
export const SETTABLE = WINDOWS.filter(({ isRequired }) => isRequired);

/** What is made of each of them, by its name and by that of its value: `minute` and `perMinute`. */
const each = <Part>(partOf: (name: KeyWindow, value: string) => Part): readonly Part[] =>
  SETTABLE.map(({ name }) => partOf(name, `per${capitalized(name)}`));

/** `--per-minute <requests>` and those of the other windows. */
export const limitOptions = (
  optionOf: (window: KeyWindow) => OptionSpec | string,
  placeholder = 'requests',
): Readonly<Record<string, OptionSpec | string>> =>
  Object.fromEntries(each((name) => [`--per-${name} <${placeholder}>`, optionOf(name)]));

/** `per_minute => :perMinute, …`, the arguments of functions that take limits. */
export const limitArguments = (
  valueOf: (value: string, column: string) => string = (value) => value,
): string =>
  each((name, value) => `per_${name} => ${valueOf(`:${value}`, `requests_per_${name}`)}`).join(', ');

/** `--per-minute, --per-day` */
export const LIMIT_FLAGS = each((name) => `--per-${name}`).join(', ');

export const hasNoLimit = (values: Values): boolean =>
  each((_name, value) => values[value]).every((value) => value === undefined);
