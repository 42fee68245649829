import type { Ref } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActivityItem, ActivityState, ReplyAction } from "../../../../core/contract/messages/agent-reply.ts";
import type { Shown } from "../../client/transcript.ts";
import { Icon } from "../view/icon.tsx";
import { ActionButtons } from "../view/messages/action-buttons.tsx";
import { AnchorChip } from "../view/messages/anchor-chip.tsx";
import { Elapsed } from "../view/messages/live-time.tsx";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";

/** Delegated work: one line that expands to a list. Changes are not announced to screen readers (B1). */
export const ActivityCard = ({ item }: { item: Shown }) => {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  const listId = useId();
  const { activity, anchor, origin, actions = [] } = item;
  if (activity === undefined) return null;
  const { title, items } = activity;
  const failed = items.filter(({ state }) => state === "failed").length;
  const cancelled = items.filter(({ state }) => state === "cancelled").length;
  const ended = items.filter(hasEnded).length;
  const [since, until] = spanOf(items);
  return (
    <div class={`activity ${ended < items.length ? "busy" : ""}`} aria-live="off">
      {anchor && <AnchorChip anchor={anchor} origin={origin} />}
      <button
        type="button"
        class="toggle"
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setOpen(!isOpen)}
      >
        <ProgressRing part={items.length === 0 ? 1 : ended / items.length} hasFailed={failed > 0} />
        <span class="lines">
          <span class="title" dir="auto">
            {title}
          </span>{" "}
          <span class="progress">
            {texts.progress(ended, items.length, failed, cancelled)}
            {since !== undefined && (
              <span aria-hidden="true">
                {" · "}
                <Elapsed since={since} until={until} />
              </span>
            )}
          </span>
        </span>
        <Icon name="chevron" />
      </button>
      <ul id={listId} hidden={!isOpen}>
        {items.map((work) => (
          <ActivityRow key={work.id} work={work} actions={actions.filter(({ value }) => value === work.id)} />
        ))}
      </ul>
    </div>
  );
};

const hasEnded = ({ state }: ActivityItem): boolean => state !== "pending" && state !== "running";

/** From the first start to the last end; without an end while work is running. */
const spanOf = (items: readonly ActivityItem[]): [since: string | undefined, until: string | undefined] => {
  const [since] = items.flatMap(({ startedAt }) => startedAt ?? []).sort();
  const ends = items.flatMap(({ endedAt }) => endedAt ?? []).sort();
  return [since, items.every(hasEnded) ? (ends.at(-1) ?? since) : undefined];
};

const AROUND = 2 * Math.PI * 9;

/** The finished share of the work as a ring. */
const ProgressRing = ({ part, hasFailed }: { part: number; hasFailed: boolean }) => {
  if (part >= 1) {
    return (
      <span class={`ring ended ${hasFailed ? "failed" : ""}`}>
        <Icon name={hasFailed ? "alert" : "check"} />
      </span>
    );
  }
  return (
    <svg class="ring" viewBox="0 0 24 24" aria-hidden="true">
      <circle class="track" cx="12" cy="12" r="9" />
      <circle class="done" cx="12" cy="12" r="9" stroke-dasharray={`${Math.max(0.08, part) * AROUND} ${AROUND}`} />
    </svg>
  );
};

const MARKS: Readonly<Record<ActivityState, string>> = {
  pending: "○",
  running: "●",
  completed: "✓",
  failed: "✗",
  cancelled: "–",
};

/** After this time the button can be pressed again. */
const CANCEL_TIMEOUT_MS = 15_000;

interface RowProps {
  readonly work: ActivityItem;
  /** Actions for finished work. */
  readonly actions: readonly ReplyAction[];
}

/** One piece of delegated work: state, duration, note or result, and actions. */
const ActivityRow = ({ work, actions }: RowProps) => {
  const texts = useTexts();
  const { name, state, startedAt, endedAt, note, result, changes } = work;
  const isOpen = state === "pending" || state === "running";
  const detail = result ?? note ?? "";
  const row = useRef<HTMLLIElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // When the work ends, its button disappears, so the focus moves to the card.
  const losesFocus = !isOpen && hasFocus(button.current);
  useLayoutEffect(() => {
    if (losesFocus) row.current?.closest(".activity")?.querySelector<HTMLElement>(".toggle")?.focus();
  }, [losesFocus]);
  return (
    <li class={state} ref={row}>
      <span class="mark" aria-hidden="true">
        {MARKS[state]}
      </span>
      <span class="facts">
        <span class="name" dir="auto">
          {name}
        </span>{" "}
        <span class="state">
          {texts.states[state]}
          {startedAt !== undefined && " · "}
          {startedAt !== undefined && <Elapsed since={startedAt} until={endedAt} />}
          {changes !== undefined && ` · ${changes}`}
        </span>
      </span>
      {isOpen && <CancelButton work={work} button={button} />}
      {detail !== "" && (
        <p class="detail" dir="auto">
          {detail}
        </p>
      )}
      {!isOpen && <ActionButtons actions={actions} />}
    </li>
  );
};

const hasFocus = (node: HTMLElement | null): boolean => {
  const root = node?.getRootNode();
  return root instanceof ShadowRoot && root.activeElement === node;
};

const CancelButton = ({ work: { id, name }, button }: { work: ActivityItem; button: Ref<HTMLButtonElement> }) => {
  const { model } = useWidget();
  const texts = useTexts();
  const [isRequested, setRequested] = useState(false);
  useEffect(() => {
    if (!isRequested) return;
    const timer = setTimeout(() => setRequested(false), CANCEL_TIMEOUT_MS);
    return () => clearTimeout(timer);
  }, [isRequested]);
  return (
    // Not `disabled`, which would lose the focus.
    <button
      type="button"
      class="cancel"
      ref={button}
      aria-label={texts.cancelItem(name)}
      aria-disabled={isRequested}
      onClick={() => {
        if (!isRequested) model.command("cancel", id);
        setRequested(true);
      }}
    >
      {isRequested ? texts.cancelling : texts.cancel}
    </button>
  );
};
