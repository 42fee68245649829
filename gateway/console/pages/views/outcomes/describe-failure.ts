import { sentence } from "../../api/sentence.ts";

export interface Failure {
  /** In a word: blocked, removed, disabled, gone, … */
  readonly state: string;
  /** What happened, and who can do something about it. */
  readonly text: string;
}

const KINDS: Readonly<Record<string, Failure>> = {
  unknown: { state: "may have arrived", text: "Nobody knows whether it arrived." },
  "target-gone": { state: "gone", text: "The conversation is gone." },
  forbidden: { state: "not allowed", text: "The app may not write there." },
  rejected: { state: "refused", text: "The platform refused it." },
  unavailable: { state: "unreachable", text: "The platform could not be reached." },
  "rate-limited": { state: "limited", text: "The platform took no more messages." },
};

/** Where a platform says more exactly why nobody is reached there. */
const STATE = /^(?:[a-z-]+: )?(blocked|removed|disabled|gone): (.+)$/s;

/** A delivery's reason, `<kind of failure>: <why>`, in words for operators. */
export const describeFailure = (reason: string): Failure => {
  const [, state, detail] = STATE.exec(reason) ?? [];
  if (state !== undefined && detail !== undefined) return { state, text: sentence(detail) };
  const [, kind = "", why = reason] = /^([a-z-]+): (.*)$/s.exec(reason) ?? [];
  const known = KINDS[kind] ?? KINDS[reason];
  if (known === undefined) return { state: "given up", text: sentence(reason) };
  return kind === "" ? known : { state: known.state, text: `${known.text} ${sentence(why)}` };
};
