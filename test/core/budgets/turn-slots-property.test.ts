import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TurnSlots } from "../../../core/budgets/turn-slots.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { MemoryStore } from "../../fakes/memory-store.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { sampleAccount } from "./sample-account.ts";

const PROCESSES = 3;
const EXPIRY_MS = 60_000;

const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      process: fc.nat(PROCESSES - 1),
      person: fc.constantFrom("ann", "bob"),
      unattended: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), process: fc.nat(PROCESSES - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.nat(70) }) },
);

const limits = fc.record({
  person: fc.integer({ min: 1, max: 3 }),
  agent: fc.integer({ min: 1, max: 4 }),
  share: fc.constantFrom(0, 0.5, 1),
});

interface Running {
  readonly id: string;
  readonly process: number;
  readonly person: string;
  readonly unattended: boolean;
  leave(): void;
}

/** Messages of two people with one agent, in three processes; a killed process leaves its messages to the next one. */
class World {
  readonly clock = new ManualClock();
  readonly #store = new MemoryStore();
  readonly #slots: TurnSlots[] = [];
  readonly #limits: { person: number; agent: number; share: number };
  #names = 0;
  running: Running[] = [];
  waiting: Omit<Running, "leave">[] = [];
  started: string[] = [];

  constructor(given: { person: number; agent: number; share: number }) {
    this.#limits = given;
    for (let process = 0; process < PROCESSES; process++) this.#start(process);
  }

  async write(process: number, person: string, unattended: boolean): Promise<void> {
    this.waiting.push({ id: `t-${this.#names++}`, process, person, unattended });
    await this.retry();
  }

  /** Retries all messages that wait, as their wake-ups and the limit of each wait do. */
  async retry(): Promise<void> {
    for (const message of [...this.waiting]) {
      const { id, process, person, unattended } = message;
      const place = await this.#slots[process]?.begin(this.#accountsOf(person), id, unattended);
      if (place?.mayRun) {
        this.waiting = this.waiting.filter((other) => other !== message);
        this.running.push({ ...message, leave: () => place.leave() });
        this.started.push(id);
      } else if (place !== undefined) place.onRoom(() => undefined);
      this.#check();
    }
  }

  async end(which: number): Promise<void> {
    const [turn] = this.running.splice(which % Math.max(1, this.running.length), 1);
    turn?.leave();
    await this.#settled();
    await this.retry();
  }

  /** The bus gives the messages of the process to the next one, also those that it was working on. */
  async kill(process: number): Promise<void> {
    this.#start(process);
    const next = (process + 1) % PROCESSES;
    const lost = this.running.filter((turn) => turn.process === process);
    this.running = this.running.filter((turn) => turn.process !== process);
    this.waiting = [...lost, ...this.waiting].map((turn) =>
      turn.process === process ? { ...turn, process: next } : turn,
    );
    await this.retry();
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      this.clock.advance(Math.min(left, 1_000));
      await this.#settled();
    }
    await this.retry();
  }

  #start(process: number): void {
    this.#slots[process] = new TurnSlots({ store: this.#store, clock: this.clock, logger: silentLogger });
  }

  #accountsOf(person: string) {
    const { person: own, agent, share } = this.#limits;
    return [
      sampleAccount({ subject: person, atOnce: { turns: own }, unattendedShare: share }),
      sampleAccount({
        scope: "agent",
        subject: "agent",
        atOnce: { turns: agent },
        unattendedShare: share,
        isOwn: false,
      }),
    ];
  }

  #check(): void {
    const { person, agent, share } = this.#limits;
    const ofShare = (limit: number) => Math.max(1, Math.floor(limit * share));
    expect(this.running.length).toBeLessThanOrEqual(agent);
    expect(this.running.filter(({ unattended }) => unattended).length).toBeLessThanOrEqual(ofShare(agent));
    for (const name of ["ann", "bob"]) {
      const own = this.running.filter((turn) => turn.person === name);
      expect(own.length).toBeLessThanOrEqual(person);
      expect(own.filter(({ unattended }) => unattended).length).toBeLessThanOrEqual(ofShare(person));
    }
  }

  async #settled(): Promise<void> {
    for (let round = 0; round < 3; round++) await new Promise(setImmediate);
  }
}

describe("given processes that share limits of turns at once, and are killed at any time", () => {
  it("when people write and turns end, then no limit is exceeded, and every message runs in the end (R2)", async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(event, { maxLength: 40 }), async (given, events) => {
        const world = new World(given);
        for (const each of events) {
          if (each.kind === "write") await world.write(each.process, each.person, each.unattended);
          else if (each.kind === "end") await world.end(each.which);
          else if (each.kind === "kill") await world.kill(each.process);
          else await world.pass(each.seconds * 1_000);
        }
        await world.pass(EXPIRY_MS + 1_000);
        for (let turn = 0; turn < 200 && world.running.length + world.waiting.length > 0; turn++) await world.end(turn);
        expect(world.waiting).toEqual([]);
      }),
      propertyRuns(40),
    );
  }, 60_000);
});
