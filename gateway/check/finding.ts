/** One thing that was checked. The text of a problem or warning says what to do; only problems fail a check. */
export interface Finding {
  readonly verdict: "ok" | "note" | "warning" | "problem";
  /** "backbone", "model of mooring", "channel web" */
  readonly subject: string;
  readonly text: string;
  /** Further lines below the text. */
  readonly details?: readonly string[];
}
