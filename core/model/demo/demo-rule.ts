import type { StepRequest } from "../step.ts";
import type { Situation } from "./situation.ts";

/** One thing the demo model can do. The first rule that answers has the step. */
export interface DemoRule {
  /** One line for "what can you do?"; undefined if it cannot do it now, or if it is nothing to speak of. */
  skill(situation: Situation): string | undefined;
  /** Called again with the results after the calls it asked for. Undefined: this is not for me. */
  respond(situation: Situation): DemoAnswer | undefined;
}

export type DemoAnswer =
  | { readonly say: string }
  | {
      readonly call: readonly DemoCall[];
      /** Takes some time, so that it can be watched. */
      readonly isWork?: true;
    };

export interface DemoCall {
  readonly name: StepRequest["tools"][number]["name"];
  readonly input: Readonly<Record<string, unknown>>;
}
