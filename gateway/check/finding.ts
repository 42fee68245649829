/** One thing that was looked at. A problem's text says what to do about it. */
export interface Finding {
  readonly verdict: "ok" | "note" | "problem";
  /** "backbone", "model of mooring", "channel web" */
  readonly subject: string;
  readonly text: string;
}
