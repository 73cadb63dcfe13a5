/** The bytes by which lines of a manifest are read and written where they lie. */
export const NEWLINE = 10;
export const QUOTE = 34;
export const COMMA = 44;
export const ZERO = 48;
export const NINE = 57;
export const BRACKET = 91;
export const BACKSLASH = 92;
export const END_BRACKET = 93;
export const BRACE = 123;
