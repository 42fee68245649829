import type { HeadHint } from "./log-entry.ts";

/** An appended entry is at most this far ahead of the stored hint, so no higher `seq` was ever used. */
export const MAX_HINT_LAG = 64;

/** Finds the `seq` of a log's last entry with few reads. `claimed`: the last `seq` that a client has. */
export const findHead = async (
  present: (seq: number) => Promise<boolean>,
  hint: HeadHint,
  now: number,
  claimed?: number,
): Promise<number> => {
  if (now - hint.at >= hint.retentionMs) return headAmongExpired(present, hint.seq);
  let low = hint.seq;
  if (claimed !== undefined && claimed > hint.seq && claimed <= hint.seq + MAX_HINT_LAG) {
    const [isPresent, hasNext] = await Promise.all([present(claimed), present(claimed + 1)]);
    if (isPresent && !hasNext) return claimed;
    if (isPresent) low = claimed + 1;
  }
  return lastPresentAfter(present, low);
};

/** Entries after the hint may have expired. If none is left, numbering skips every `seq` that may have been used. */
const headAmongExpired = async (present: (seq: number) => Promise<boolean>, from: number): Promise<number> => {
  const seqs = Array.from({ length: MAX_HINT_LAG }, (_, index) => from + index + 1);
  const found = await Promise.all(seqs.map(present));
  const last = found.lastIndexOf(true);
  return last === -1 ? from + MAX_HINT_LAG : from + last + 1;
};

/** Nothing after `low` has expired, so entries have no gaps: exponential, then binary search. */
const lastPresentAfter = async (present: (seq: number) => Promise<boolean>, from: number): Promise<number> => {
  let low = from;
  let step = 1;
  while (await present(low + step)) {
    low += step;
    step *= 2;
  }
  let high = low + step;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await present(middle)) low = middle;
    else high = middle;
  }
  return low;
};
