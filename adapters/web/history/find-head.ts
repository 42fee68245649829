import type { HeadHint } from "./log-entry.ts";

/**
 * Before an entry is appended, the stored hint is at most this far behind it: what lies further ahead was never used.
 */
export const HINT_STRIDE = 64;

/** The `seq` of a log's last entry, found with few reads. `claimed`: where a client says the end was. */
export const findHead = async (
  present: (seq: number) => Promise<boolean>,
  hint: HeadHint,
  now: number,
  claimed?: number,
): Promise<number> => {
  if (now - hint.at >= hint.retentionMs) return headAmongExpired(present, hint.seq);
  let low = hint.seq;
  if (claimed !== undefined && claimed > hint.seq && claimed <= hint.seq + HINT_STRIDE) {
    const [there, next] = await Promise.all([present(claimed), present(claimed + 1)]);
    if (there && !next) return claimed;
    if (there) low = claimed + 1;
  }
  return lastPresentAfter(present, low);
};

/** Entries after the hint may have expired. If none is left, numbering goes on past all that may have been used. */
const headAmongExpired = async (present: (seq: number) => Promise<boolean>, from: number): Promise<number> => {
  const seqs = Array.from({ length: HINT_STRIDE }, (_, index) => from + index + 1);
  const there = await Promise.all(seqs.map(present));
  const last = there.lastIndexOf(true);
  return last === -1 ? from + HINT_STRIDE : from + last + 1;
};

/** Nothing after `low` has expired, so entries are there without a hole: growing steps, then halving ones. */
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
