import fc from "fast-check";

/** What becomes of one subtask. */
export interface Fate {
  /** How it ends; "stuck" only when it is stopped. */
  readonly ends: "text" | "complete" | "fail" | "stuck";
  /** Turns of the event loop that it takes. */
  readonly pauses: number;
  readonly cancelled: boolean;
  /** Its end is told to the owner twice. */
  readonly toldTwice: boolean;
  /** Its word to the owner is held back until the batch has fired. */
  readonly heldBack: boolean;
  readonly reports: "batch" | "alone" | "blocking";
  readonly awaited: boolean;
}

export interface Plan {
  readonly fates: readonly Fate[];
  /** The turn ends without a word of its own. */
  readonly silent: boolean;
}

const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 0);

const aFate: fc.Arbitrary<Fate> = fc
  .record({
    ends: fc.constantFrom("text", "text", "complete", "complete", "fail", "stuck"),
    pauses: fc.nat(20),
    cancelled: rarely,
    toldTwice: rarely,
    heldBack: rarely,
    reports: fc.constantFrom("batch", "batch", "batch", "batch", "alone", "blocking"),
    awaited: rarely,
  })
  // One that reports alone has no ceiling but its own deadline of many minutes.
  .map((fate) => (fate.reports === "alone" && fate.ends === "stuck" ? { ...fate, ends: "text" as const } : fate));

export const aPlan: fc.Arbitrary<Plan> = fc.record({
  fates: fc.array(aFate, { minLength: 1, maxLength: 6 }),
  silent: fc.boolean(),
});
