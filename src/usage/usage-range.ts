/** The UTC days that the usage of a key covers, the present one included. */
export const USAGE_DAYS = 31;

/** The hours, likewise. */
export const USAGE_HOURS = 24;
