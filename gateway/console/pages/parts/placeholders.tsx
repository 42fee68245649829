import type { ComponentChildren } from "preact";
import { explainError } from "../api/refused.ts";

export const Loading = () => (
  <div class="loading" role="status">
    <span class="sr">Loading</span>
    <span class="bar" />
    <span class="bar" />
    <span class="bar" />
  </div>
);

export const Failed = ({ error, retry }: { error: unknown; retry: () => void }) => {
  const { what, advice } = explainError(error);
  return (
    <div class="failed" role="alert">
      <p class="strong">{what}</p>
      <p>{advice}</p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
};

/** An empty list, with the reason or the next step. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="empty">
    <p class="strong">{title}</p>
    <p class="faint">{children}</p>
  </div>
);
