import fc from "fast-check";

/** How a subtask ends; "stuck" only when it is stopped. */
type Ends = "text" | "complete" | "fail" | "stuck";

/** What becomes of one subtask. */
export interface Fate {
  readonly ends: Ends;
  /** Turns of the event loop that it takes. */
  readonly pauses: number;
  readonly cancelledBy: "nobody" | "asker" | "owner";
  /** It is told something by another session of its asker. */
  readonly refined: boolean;
  /** It asks its owner something first, who may know. */
  readonly asks: "nothing" | "answered" | "ignored";
  /** Its end is told to the owner twice. */
  readonly toldTwice: boolean;
  /** Its word to the owner is held back until the batch has fired. */
  readonly heldBack: boolean;
  readonly reports: "batch" | "alone" | "blocking";
  readonly awaited: boolean;
  /** What its own subtasks come to. */
  readonly children: readonly { readonly ends: Ends; readonly reports: "batch" | "alone" | "blocking" }[];
}

export interface Plan {
  readonly fates: readonly Fate[];
  /** It awaits all that it has started, and not only those that are to be awaited, if there are any. */
  readonly awaitsAll: boolean;
  /** How long the turn waits for those that it awaits. */
  readonly patience: "none" | "some";
  /** The turn ends without a word of its own. */
  readonly silent: boolean;
}

const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 0);
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 5 }, { arbitrary: fc.constantFrom(...others), weight: 2 });

const anEnd: fc.Arbitrary<Ends> = fc.constantFrom("text", "text", "complete", "complete", "fail", "stuck");

const aFate: fc.Arbitrary<Fate> = fc
  .record({
    ends: anEnd,
    pauses: fc.nat(20),
    cancelledBy: mostly<Fate["cancelledBy"]>("nobody", "asker", "owner"),
    refined: rarely,
    asks: mostly<Fate["asks"]>("nothing", "answered", "ignored"),
    toldTwice: rarely,
    heldBack: rarely,
    reports: mostly<Fate["reports"]>("batch", "alone", "blocking"),
    awaited: rarely,
    children: fc.oneof(
      { arbitrary: fc.constant([]), weight: 4 },
      {
        arbitrary: fc.array(
          fc.record({ ends: anEnd, reports: fc.constantFrom("batch" as const, "alone" as const, "blocking" as const) }),
          { minLength: 1, maxLength: 2 },
        ),
        weight: 1,
      },
    ),
  })
  // One that reports alone has no ceiling but its own deadline of many minutes.
  .map((fate) => (fate.reports === "alone" && fate.ends === "stuck" ? { ...fate, ends: "text" as const } : fate));

export const aPlan: fc.Arbitrary<Plan> = fc.record({
  fates: fc.array(aFate, { minLength: 1, maxLength: 6 }),
  awaitsAll: fc.boolean(),
  patience: fc.constantFrom("none", "some"),
  silent: fc.boolean(),
});
