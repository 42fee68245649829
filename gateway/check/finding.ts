/** The result of a check. The text of a problem or warning says what to do; only problems fail `mooring check`. */
export interface Finding {
  readonly verdict: "ok" | "note" | "warning" | "problem";
  /** For example "backbone", "model of mooring" or "channel web". */
  readonly subject: string;
  readonly text: string;
  /** Further lines below the text. */
  readonly details?: readonly string[];
}
