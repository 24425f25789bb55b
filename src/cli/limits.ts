import { capitalized, type Window, WINDOWS } from '../auth/admission/windows.js';
import type { OptionSpec, Values } from './command.js';

/** Maps each window, with the name of its value, such as `perMinute`. */
const each = <Part>(partOf: (window: Window, value: string) => Part): readonly Part[] =>
  WINDOWS.map((window) => partOf(window, `per${capitalized(window.name)}`));

/** `--per-minute <requests>`, and so on for each window. */
export const limitOptions = (
  optionOf: (window: Window) => OptionSpec | string,
  placeholderOf: (window: Window) => string = () => 'requests',
): Readonly<Record<string, OptionSpec | string>> =>
  Object.fromEntries(each((window) => [`--per-${window.name} <${placeholderOf(window)}>`, optionOf(window)]));

/** `per_minute => :perMinute, …`, the arguments of functions that take limits. */
export const limitArguments = (
  valueOf: (value: string, column: string, window: Window) => string = (value) => value,
): string =>
  each(
    (window, value) => `per_${window.name} => ${valueOf(`:${value}`, `requests_per_${window.name}`, window)}`,
  ).join(', ');

/** `--per-minute, --per-day` */
export const LIMIT_FLAGS = each(({ name }) => `--per-${name}`).join(', ');

export const hasNoLimit = (values: Values): boolean =>
  each((_window, value) => values[value]).every((value) => value === undefined);
