import { explained } from "../api/explained.ts";

export const Failed = ({ error, retry }: { error: unknown; retry: () => void }) => {
  const { what, advice } = explained(error);
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
