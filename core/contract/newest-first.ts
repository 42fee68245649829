/** A spelling of a moment that sorts later ones first: for keys of lists that are read from their newest end. */
export const newestFirst = (ms: number): string => (LAST_MOMENT - ms).toString(36).padStart(9, "0");

const LAST_MOMENT = 36 ** 9 - 1;
