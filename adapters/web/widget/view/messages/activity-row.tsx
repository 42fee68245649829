import type { Ref } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActivityItem, ActivityState } from "../../../../../core/contract/activity.ts";
import type { ReplyAction } from "../../../../../core/contract/agent-reply.ts";
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

/** It may be tried again if nothing comes of it. */
const TRY_AGAIN_MS = 15_000;

interface RowProps {
  readonly work: ActivityItem;
  /** What can be done about it, once it has ended. */
  readonly actions: readonly ReplyAction[];
}

/** One piece of delegated work: its state, how long it takes, what it says, and what can be done about it. */
export const ActivityRow = ({ work, actions }: RowProps) => {
  const { texts } = useWidget();
  const { name, state, startedAt, endedAt, note, result, changes } = work;
  const isOpen = state === "pending" || state === "running";
  const told = result ?? note ?? "";
  const row = useRef<HTMLLIElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // When the work ends the button goes: the focus goes to what it is part of, not to nowhere.
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
      {told !== "" && (
        <p class="told" dir="auto">
          {told}
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
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setAsked(false), TRY_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  return (
    // Not disabled, which would take the focus away.
    <button
      type="button"
      class="cancel"
      ref={button}
      aria-label={texts.cancelItem(name)}
      aria-disabled={isAsked}
      onClick={() => {
        if (!isAsked) model.command("cancel", id);
        setAsked(true);
      }}
    >
      {isAsked ? texts.cancelling : texts.cancel}
    </button>
  );
};
