import type { Ref } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActivityItem, ActivityState, ReplyAction } from "../../../../../core/contract/messages/agent-reply.ts";
import { useWidget } from "../widget-context.ts";
import { ActionButtons } from "./action-buttons.tsx";
import { Elapsed } from "./live-time.tsx";

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
export const ActivityRow = ({ work, actions }: RowProps) => {
  const { texts } = useWidget();
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
  const { texts, model } = useWidget();
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
