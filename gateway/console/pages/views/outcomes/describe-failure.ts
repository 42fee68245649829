import { sentence } from "../../api/refused.ts";

interface Failure {
  /** One word, such as blocked, removed, disabled, gone, … */
  readonly state: string;
  /** The cause, and who can fix it. */
  readonly text: string;
}

const KINDS: Readonly<Record<string, Failure>> = {
  unknown: { state: "may have arrived", text: "The platform did not confirm the delivery." },
  "target-gone": { state: "gone", text: "The conversation no longer exists." },
  forbidden: { state: "not allowed", text: "The app is not allowed to write there." },
  rejected: { state: "rejected", text: "The platform rejected it." },
  unavailable: { state: "unreachable", text: "The platform could not be reached." },
  "rate-limited": { state: "rate limited", text: "The platform's rate limit was reached." },
};

/** Reasons in which the adapter names the state of the conversation. */
const STATE = /^(?:[a-z-]+: )?(blocked|removed|disabled|gone): (.+)$/s;

/** Translates the reason of a failed delivery, `<kind of failure>: <detail>`, for operators. */
export const describeFailure = (reason: string): Failure => {
  const [, state, detail] = STATE.exec(reason) ?? [];
  if (state !== undefined && detail !== undefined) return { state, text: sentence(detail) };
  const [, kind = "", why = reason] = /^([a-z-]+): (.*)$/s.exec(reason) ?? [];
  const known = KINDS[kind] ?? KINDS[reason];
  if (known === undefined) return { state: "failed", text: sentence(reason) };
  return kind === "" ? known : { state: known.state, text: `${known.text} ${sentence(why)}` };
};
