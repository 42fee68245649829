import type { ComponentChildren } from "preact";
import type { ConversationAddress } from "../../../admin-api/index.ts";

export type Fact = readonly [name: string, value: ComponentChildren];

export const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd title={typeof value === "string" ? value : undefined}>{value}</dd>
      </div>
    ))}
  </dl>
);

interface RowProps {
  readonly title: ComponentChildren;
  readonly state?: ComponentChildren;
  readonly facts: readonly Fact[];
  /** Further information, such as the reason of a failure. */
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** One entry of a list: title, state, actions and facts. */
export const Row = ({ title, state, facts, note, actions }: RowProps) => (
  <li class="row">
    <div class="row-head">
      <span class="row-title">{title}</span>
      {state}
      {actions !== undefined && <span class="row-actions">{actions}</span>}
    </div>
    {note !== undefined && <div class="row-note">{note}</div>}
    <Facts facts={facts} />
  </li>
);

export type Tone = "good" | "busy" | "bad" | "warn" | "calm";

/** A state as a word with a coloured dot: colour alone would not be accessible. */
export const StateMark = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`mark ${tone}`}>
    <span class="dot" aria-hidden="true" />
    {text}
  </span>
);

/** "slack · T1 / C123 / 17000.1" */
export const conversationText = ({ channel, workspace, room, thread }: ConversationAddress): string =>
  `${channel} · ${[workspace, room, thread].filter((part) => part !== undefined).join(" / ")}`;
