import type { Bus, Listener } from "../contract/bus.ts";
import type { Clock } from "../contract/clock.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { RunningTurn, TurnsAsked } from "../contract/running-turn.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Agent } from "./agent.ts";
import type { TurnRecord } from "./turn-record.ts";

type Place = { readonly tenant: string; readonly agent: string };
type Accounts = TurnsAsked["accounts"];

/** Long enough for a process in the same network to answer; somebody waits for it at a screen. */
const GATHER_MS = 150;

/**
 * What every process is at. It costs no write: a turn is asked after far less often than it is run. Who does not answer
 * in time is left out, and what a dead process was at is at rest until another takes it over.
 */
export class RunningTurns {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #running = new Map<string, RunningTurn>();
  /** By person, those who have waited longest first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #stops = new Map<string, () => void>();
  readonly #gathering = new Map<string, Map<string, RunningTurn>>();
  readonly #listeners: Listener[] = [];

  constructor({ bus, clock }: { bus: Bus; clock: Clock }) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** The result ends it. */
  begin({ turnId, origin, audience, openedAt }: TurnRecord): () => void {
    const turn = { turnId, summary: origin.promptSummary, startedAt: openedAt, audience };
    this.#running.set(turnId, turn);
    return () => {
      if (this.#running.get(turnId) !== turn) return;
      this.#running.delete(turnId);
      if (audience.personId !== null) this.#wakeNext(audience.personId);
    };
  }

  /** In this process. */
  isRunning(turnId: string): boolean {
    return this.#running.has(turnId);
  }

  /** How many of a person's turns run in this process. */
  ofPerson(personId: string): number {
    return [...this.#running.values()].filter(({ audience }) => audience.personId === personId).length;
  }

  /** Wakes once fewer than so many of the person's turns run here: one for each that ends, in order. The result ends that. */
  onRoom(personId: string, most: number, wake: () => void): () => void {
    if (this.ofPerson(personId) < most) {
      wake();
      return () => undefined;
    }
    const queue = this.#waiting.get(personId) ?? new Set();
    this.#waiting.set(personId, queue.add(wake));
    return () => this.#leaveQueue(personId, wake);
  }

  /** `stop` is called when somebody no longer wants the turn's answer. The result ends that. */
  stoppable({ turnId }: Pick<TurnRecord, "turnId">, stop: () => void): () => void {
    this.#stops.set(turnId, stop);
    return () => {
      if (this.#stops.get(turnId) === stop) this.#stops.delete(turnId);
    };
  }

  async listenTo({ tenant, name }: Pick<Agent, "tenant" | "name">): Promise<void> {
    const subjects = subjectsOf(tenant);
    this.#listeners.push(
      await this.#bus.listen(subjects.turnsAsked(name), ({ ask, ...about }: TurnsAsked) => {
        const turns = [...this.#running.values()].filter((turn) => isMeant(about, turn));
        if (turns.length > 0) this.#bus.signal(subjects.turnsTold(name), { ask, turns });
      }),
      await this.#bus.listen(subjects.turnsTold(name), ({ ask, turns }) => {
        for (const turn of turns) this.#gathering.get(ask)?.set(turn.turnId, turn);
      }),
      await this.#bus.listen(subjects.turnsStopped(name), ({ turnIds }) => {
        for (const turnId of turnIds) this.#stops.get(turnId)?.();
      }),
    );
  }

  /** What is under way for these accounts, the oldest first. `ask` names the question. */
  of(place: Place, accounts: Accounts, ask: string): Promise<RunningTurn[]> {
    return this.#gather(place, { ask, accounts });
  }

  /** Whether a turn is under way in a conversation. */
  async isBusy(place: Place, conversation: Conversation, ask: string): Promise<boolean> {
    const turns = await this.#gather(place, { ask, accounts: [], conversation: conversationKey(conversation) });
    return turns.length > 0;
  }

  /** A hint like all of this: a turn whose process just died goes on in another. */
  stop({ tenant, agent }: Place, turns: readonly RunningTurn[]): void {
    const turnIds = turns.map(({ turnId }) => turnId);
    this.#bus.signal(subjectsOf(tenant).turnsStopped(agent), { turnIds });
  }

  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  #wakeNext(personId: string): void {
    const [next] = this.#waiting.get(personId) ?? [];
    if (next === undefined) return;
    this.#leaveQueue(personId, next);
    next();
  }

  #leaveQueue(personId: string, wake: () => void): void {
    const queue = this.#waiting.get(personId);
    if (queue?.delete(wake) && queue.size === 0) this.#waiting.delete(personId);
  }

  async #gather({ tenant, agent }: Place, asked: TurnsAsked): Promise<RunningTurn[]> {
    const { ask } = asked;
    const found = new Map<string, RunningTurn>();
    this.#gathering.set(ask, found);
    this.#bus.signal(subjectsOf(tenant).turnsAsked(agent), asked);
    await new Promise<void>((resolve) => this.#clock.after(GATHER_MS, resolve));
    this.#gathering.delete(ask);
    return [...found.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  }
}

const isMeant = (about: Pick<TurnsAsked, "accounts" | "conversation">, { audience }: RunningTurn): boolean =>
  about.conversation === conversationKey(audience.conversation) || isFor(about.accounts, audience);

const isFor = (accounts: Accounts, { conversation, accountId: asker }: RunningTurn["audience"]): boolean =>
  accounts.some(({ channel, accountId }) => channel === conversation.channel && accountId === asker);
