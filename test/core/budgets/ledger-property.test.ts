import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Account } from "../../../core/budgets/accounts.ts";
import { Ledger } from "../../../core/budgets/ledger.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { sampleAccount } from "./sample-account.ts";

const PROCESSES = 3;
const NAMES = ["ann", "bob", "all"] as const;

const event = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("take" as const),
      process: fc.nat(PROCESSES - 1),
      account: fc.constantFrom(...NAMES),
      turns: fc.integer({ min: 1, max: 6 }),
      tokens: fc.integer({ min: 1, max: 90 }),
      /** The real use of the model, as a share of the reservation. */
      use: fc.constantFrom(0, 0.5, 1),
      isUnattended: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), process: fc.nat(PROCESSES - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("stop" as const), process: fc.nat(PROCESSES - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("next day" as const) }) },
);

const limits = fc.record({
  turns: fc.integer({ min: 0, max: 60 }),
  tokens: fc.integer({ min: 0, max: 2_000 }),
  unattendedShare: fc.constantFrom(0, 0.5, 0.9, 1),
});

/** Counts, by day and account, what was admitted: the model of the rule, without leases. */
class Admitted {
  readonly #sums = new Map<string, { turns: number; tokens: number; unattended: { turns: number; tokens: number } }>();

  of(day: string, account: string) {
    const key = `${day} ${account}`;
    const sum = this.#sums.get(key) ?? { turns: 0, tokens: 0, unattended: { turns: 0, tokens: 0 } };
    this.#sums.set(key, sum);
    return sum;
  }

  all() {
    return [...this.#sums.values()];
  }
}

describe("given processes that share accounts, and are killed, stopped and started at any time", () => {
  it("when they take what they can, then no account ever exceeds its limit, and a single one can be used up (R2)", async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(fc.array(event, { maxLength: 8 }), { maxLength: 30 }),
        fc.infiniteStream(fc.nat(3)),
        async (limit, rounds, pauses) => {
          const store = new MemoryStore();
          store.delay = async () => {
            for (let left = pauses.next().value ?? 0; left > 0; left--) await Promise.resolve();
          };
          const clock = new ManualClock(Date.parse("2026-03-10T12:00:00Z"));
          const { turns, tokens, unattendedShare } = limit;
          const account = (subject: string): Account =>
            sampleAccount({ subject, daily: { turns, tokens }, unattendedShare });
          const processes = Array.from({ length: PROCESSES }, () => new Ledger({ store, clock }));
          const admitted = new Admitted();
          for (const round of rounds) {
            await Promise.all(
              round.map(async (step) => {
                if (step.kind === "next day") clock.advance(24 * 3_600_000);
                else if (step.kind === "kill") processes[step.process] = new Ledger({ store, clock });
                else if (step.kind === "stop") await processes[step.process]?.giveBack(0);
                else {
                  const ledger = processes[step.process] as Ledger;
                  const day = ledger.today();
                  const of = account(step.account);
                  const asked = { turns: step.turns, tokens: step.tokens };
                  if (await ledger.take(of, asked, step.isUnattended)) return;
                  const used = Math.floor(step.tokens * step.use);
                  ledger.charge(of, { tokens: used - step.tokens }, day);
                  const sum = admitted.of(day, step.account);
                  sum.turns += step.turns;
                  sum.tokens += used;
                  if (!step.isUnattended) return;
                  sum.unattended.turns += step.turns;
                  sum.unattended.tokens += used;
                }
              }),
            );
          }
          const block = (whole: number) => Math.floor(whole / 10);
          for (const sum of admitted.all()) {
            expect(sum.turns).toBeLessThanOrEqual(turns);
            expect(sum.tokens).toBeLessThanOrEqual(tokens);
            // A process may know of others' use only at its next lease: at most one block per process beyond the share.
            expect(sum.unattended.turns).toBeLessThanOrEqual(turns * unattendedShare + PROCESSES * block(turns));
            expect(sum.unattended.tokens).toBeLessThanOrEqual(tokens * unattendedShare + PROCESSES * block(tokens));
          }
          // After all others have stopped, one process can use the rest up: no lease is lost but those of killed ones.
          const isKilled = rounds.flat().some(({ kind }) => kind === "kill");
          if (isKilled) return;
          for (const ledger of processes) await ledger.giveBack(0);
          const last = new Ledger({ store, clock });
          const before = admitted.of(last.today(), "ann").turns;
          let rest = 0;
          while (
            (await last.take(sampleAccount({ subject: "ann", daily: { turns } }), { turns: 1 }, false)) === undefined
          )
            rest++;
          expect(before + rest).toBe(turns);
        },
      ),
      propertyRuns(150),
    );
  });
});
