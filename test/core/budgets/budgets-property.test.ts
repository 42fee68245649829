import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BudgetedWork } from "../../../core/budgets/accounts.ts";
import { BudgetRefused, BudgetService, type Budgets } from "../../../core/budgets/index.ts";
import type { Cause } from "../../../core/contract/messages/work-context.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { sampleWork } from "./sample-account.ts";

const PROCESSES = 2;
const AGENTS = ["mooring", "helper"] as const;
const PEOPLE = ["ann", "bob", "eve"] as const;
const SCOPES = ["person", "visitor", "caller", "anonymous", "member", "operator", "peer", "unattended"] as const;
const REQUEST = { system: "x".repeat(40), messages: [], tools: [], toolChoice: "auto" as const };

const limits = fc.record({ turnsPerDay: fc.integer({ min: 0, max: 12 }), unattendedShare: fc.constantFrom(0, 0.5, 1) });
const scoped = <T extends string>(all: T) =>
  fc
    .array(fc.tuple(fc.constantFrom(...SCOPES, all), limits), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as Partial<Record<(typeof SCOPES)[number] | T, Limits>>);
interface Limits {
  readonly turnsPerDay: number;
  readonly unattendedShare: number;
}

const cause: fc.Arbitrary<Cause> = fc.oneof(
  fc.record({
    speaker: fc.constantFrom<Cause["speaker"]>("anonymous", "member", "operator"),
    channel: fc.constant("web"),
    id: fc.constantFrom(...PEOPLE),
  }),
  fc.record({ speaker: fc.constant<Cause["speaker"]>("peer"), id: fc.constantFrom("acme", "harbour") }),
  fc.constant<Cause>({ speaker: "operator" }),
);

const event = fc.record({
  process: fc.nat(PROCESSES - 1),
  agent: fc.constantFrom(...AGENTS),
  causes: fc.array(cause, { minLength: 1, maxLength: 2 }),
  /** The person that the account is linked to; undefined: none. */
  linkedTo: fc.option(fc.constantFrom("p-1", "p-2"), { nil: undefined }),
  background: fc.boolean(),
  isKilledAfter: fc.boolean(),
});
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

const workOf = ({ causes, linkedTo, background }: Event): BudgetedWork => {
  const [first] = causes;
  const { id = "console" } = first ?? {};
  const work = sampleWork(id, { background, ...(linkedTo !== undefined && { personId: linkedTo }) });
  return { ...work, asker: { ...work.asker, causes } };
};

/**
 * The rule in its plainest form: the names of all counters that a piece of work adds to. Written without the code under
 * test, so that a scope which the code forgets exceeds its limit here.
 */
const countersOf = (
  { agent, causes, background }: Event,
  work: BudgetedWork,
): [holder: string, scope: string, subject: string][] => {
  const speakers = new Set(causes.map(({ speaker }) => speaker));
  const shared = [...speakers, ...(background ? ["unattended"] : [])];
  const own: [string, string][] = [];
  const account = causes.find(({ speaker, channel }) => speaker !== "peer" && channel !== undefined);
  if (speakers.has("anonymous")) own.push(["visitor", work.asker.personId]);
  else if (speakers.size === 1 && speakers.has("peer")) for (const { id } of causes) own.push(["caller", String(id)]);
  else if (account !== undefined) own.push(["person", work.asker.personId]);
  const scope = own[0]?.[0];
  if (account !== undefined && scope !== undefined && scope !== "caller") own.push([scope, `account ${account.id}`]);
  return ["tenant", agent].flatMap((holder) => [
    ...[...new Set(own.map((each) => JSON.stringify(each)))].map((each) => {
      const [ownScope, subject] = JSON.parse(each) as [string, string];
      return [holder, ownScope, subject] as [string, string, string];
    }),
    ...shared.map((name) => [holder, name, ""] as [string, string, string]),
    [holder, holder === "tenant" ? "tenant" : "agent", ""] as [string, string, string],
  ]);
};

describe("given random budgets, speakers, causes and links, two processes that may be killed, and two agents", () => {
  it("when work is admitted, then no person, account, caller, class, agent or tenant exceeds its limit, and refusals have a reason (R2)", async () => {
    await fc.assert(
      fc.asyncProperty(
        scoped("agent"),
        scoped("tenant"),
        fc.array(fc.array(event, { maxLength: 6 }), { maxLength: 20 }),
        fc.infiniteStream(fc.nat(2)),
        async (ofAgent, ofTenant, rounds, pauses) => {
          const store = new MemoryStore();
          store.delay = async () => {
            for (let left = pauses.next().value ?? 0; left > 0; left--) await Promise.resolve();
          };
          const clock = new ManualClock(Date.parse("2026-03-10T12:00:00Z"));
          const start = () => {
            const ports = { store, clock, logger: silentLogger, meter: silentMeter, notify: async () => undefined };
            const service = new BudgetService(ports);
            for (const agent of AGENTS) service.add({ tenant: "default", agent }, { ofAgent, ofTenant });
            return service;
          };
          const processes = Array.from({ length: PROCESSES }, start);
          const admitted = new Map<string, number>();
          for (const round of rounds) {
            await Promise.all(
              round.map(async (each) => {
                const budgets = processes[each.process]?.of(each.agent) as Budgets;
                const work = workOf(each);
                try {
                  const spending = await budgets.reserve(work, "m", REQUEST, true);
                  spending.settle({ inputTokens: 1, outputTokens: 1 });
                } catch (error) {
                  expect(error).toBeInstanceOf(BudgetRefused);
                  expect((error as Error).message).toMatch(/It renews at 00:00 UTC, in 12 h 0 min\./);
                  return;
                }
                for (const counter of countersOf(each, work)) {
                  const key = JSON.stringify(counter);
                  admitted.set(key, (admitted.get(key) ?? 0) + 1);
                }
              }),
            );
            for (const each of round) if (each.isKilledAfter && round.length === 1) processes[each.process] = start();
          }
          for (const [key, count] of admitted) {
            const [holder, scope] = JSON.parse(key) as [string, string];
            const configured = (holder === "tenant" ? ofTenant : ofAgent) as Record<string, Limits | undefined>;
            const limit = configured[scope]?.turnsPerDay ?? Number.POSITIVE_INFINITY;
            expect(count, key).toBeLessThanOrEqual(limit);
          }
        },
      ),
      propertyRuns(150),
    );
  });
});
