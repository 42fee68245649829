import type { Clock, Timer } from "../../core/contract/ports/clock.ts";

type Counts = Readonly<Record<string, number>>;

interface MinuteReportDeps {
  readonly clock: Clock;
  /** Logs one line. */
  readonly report: (line: { readonly address: string; readonly counts: Counts }) => void;
}

const MINUTE_MS = 60_000;
const MAX_LINES = 20;
const MAX_ADDRESSES = 10_000;

/** Counts events per address and reports each address at most once a minute, so that a flood of events cannot flood the log. */
export class MinuteReport {
  readonly #deps: MinuteReportDeps;
  readonly #counts = new Map<string, Record<string, number>>();
  #timer: Timer | undefined;

  constructor(deps: MinuteReportDeps) {
    this.#deps = deps;
  }

  add(address: string, event: string): void {
    const known = this.#counts.has(address) || this.#counts.size < MAX_ADDRESSES;
    const key = known ? address : OTHERS;
    const counts = this.#counts.get(key) ?? {};
    counts[event] = (counts[event] ?? 0) + 1;
    this.#counts.set(key, counts);
    this.#timer ??= this.#deps.clock.after(MINUTE_MS, () => this.flush());
  }

  /** Reports at once; also called at the end of the process. The addresses with the most events get separate lines. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const all = [...this.#counts].sort(([, a], [, b]) => total(b) - total(a));
    this.#counts.clear();
    const rest = all.splice(MAX_LINES);
    for (const [address, counts] of all) this.#deps.report({ address, counts });
    if (rest.length > 0) {
      const counts = rest.map(([, each]) => each).reduce(sum, {});
      this.#deps.report({ address: `${rest.length} ${OTHERS}`, counts });
    }
  }
}

const OTHERS = "other addresses";

const total = (counts: Counts): number => Object.values(counts).reduce((all, one) => all + one, 0);

const sum = (a: Record<string, number>, b: Counts): Record<string, number> => {
  for (const [event, count] of Object.entries(b)) a[event] = (a[event] ?? 0) + count;
  return a;
};
