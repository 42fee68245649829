import fc from "fast-check";

/** How a subtask ends; a "stuck" one ends only when it is stopped. */
type Ends = "text" | "complete" | "fail" | "stuck";

/** The behaviour of one subtask, and what happens to it. */
export interface Fate {
  readonly ends: Ends;
  /** Passes of the event loop before it ends. */
  readonly pauses: number;
  readonly cancelledBy: "none" | "asker" | "owner";
  /** Another session of its asker sends it a refinement. */
  readonly refined: boolean;
  /** Whether it first asks its owner a question, and whether the owner answers. */
  readonly asks: "nothing" | "answered" | "ignored";
  /** The member's end is redelivered to the owner. */
  readonly endRedelivered: boolean;
  /** The member's end reaches the owner only after the batch has fired. */
  readonly endDelayed: boolean;
  readonly reports: "batch" | "alone" | "blocking";
  readonly awaited: boolean;
  /** The behaviour of its own subtasks. */
  readonly children: readonly { readonly ends: Ends; readonly reports: "batch" | "alone" | "blocking" }[];
}

export interface Plan {
  readonly fates: readonly Fate[];
  /** If any subtask is awaited: await_subtasks waits for all, not only for those. */
  readonly awaitsAll: boolean;
  /** The timeout of await_subtasks: none is zero. */
  readonly patience: "none" | "some";
  /** The turn ends with nothing_to_say. */
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
    cancelledBy: mostly<Fate["cancelledBy"]>("none", "asker", "owner"),
    refined: rarely,
    asks: mostly<Fate["asks"]>("nothing", "answered", "ignored"),
    endRedelivered: rarely,
    endDelayed: rarely,
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
  // A subtask that reports alone has no ceiling, only a turn deadline of many minutes.
  .map((fate) => (fate.reports === "alone" && fate.ends === "stuck" ? { ...fate, ends: "text" as const } : fate));

export const aPlan: fc.Arbitrary<Plan> = fc.record({
  fates: fc.array(aFate, { minLength: 1, maxLength: 6 }),
  awaitsAll: fc.boolean(),
  patience: fc.constantFrom("none", "some"),
  silent: fc.boolean(),
});
