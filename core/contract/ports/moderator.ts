import type { Texts } from "../texts/texts.ts";

/** A text that the operator's own check may refuse. The id is the same in every repeat. */
export interface ModeratedText {
  readonly kind: "message" | "answer";
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  /** The channel and the kind of the conversation in which the work began. */
  readonly channel: string;
  readonly conversation: "private" | "shared";
  /** The account that asked; absent if none did. */
  readonly account?: string | undefined;
  readonly text: string;
}

/** A refusal has the text that the person sees instead. */
export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly text: string };

/** Checks the messages of people and calling agents, and the answers of agents. */
export interface Moderator {
  readonly checksMessages: boolean;
  /** Answers are then neither streamed nor shown before they are complete. */
  readonly checksAnswers: boolean;
  /**
   * Resolves within a bounded time; a failed check has the verdict that the operator chose. Never rejects. `texts` are
   * those of the person who reads a refusal; absent: English.
   */
  check(text: ModeratedText, texts?: Texts): Promise<Verdict>;
}
