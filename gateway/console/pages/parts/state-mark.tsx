export type Tone = "good" | "busy" | "bad" | "warn" | "calm";

/** The state of something, in a word with a dot: never by colour alone. */
export const StateMark = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`mark ${tone}`}>
    <span class="dot" aria-hidden="true" />
    {text}
  </span>
);
