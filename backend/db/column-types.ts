/** A boolean. */
export type Flag = 0 | 1;
/** JSON as text. */
export type Json = string;
