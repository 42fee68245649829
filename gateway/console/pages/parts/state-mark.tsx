export type Tone = "good" | "busy" | "bad" | "warn" | "calm";

/** A state as a word with a coloured dot: colour alone would not be accessible. */
export const StateMark = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`mark ${tone}`}>
    <span class="dot" aria-hidden="true" />
    {text}
  </span>
);
