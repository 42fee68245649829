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

/** A person as one agent's limits count them; each agent of a process has turns of its own. */
export interface PersonOfAgent {
  readonly agent: string;
  readonly personId: string;
}
const limitKey = ({ agent, personId }: PersonOfAgent): string => JSON.stringify([agent, personId]);

/** Long enough for a process in the same network to answer; a person waits for it at a screen. */
const GATHER_MS = 150;

/**
 * The turns that run in every process. Nothing is stored: turns are listed far less often than they are run. A process
 * that does not answer in time is left out, and a turn of a dead process is listed again once another takes it over.
 */
export class RunningTurns {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #running = new Map<string, RunningTurn>();
  /** How many run here, by agent and person. */
  readonly #counts = new Map<string, number>();
  /** By agent and person, the longest waiting first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #stops = new Map<string, () => void>();
  readonly #gathering = new Map<string, Map<string, RunningTurn>>();
  readonly #listeners: Listener[] = [];

  constructor({ bus, clock }: { bus: Bus; clock: Clock }) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** The result ends it. */
  begin({ turnId, origin, audience, openedAt }: TurnRecord, agent: string): () => void {
    const turn = { turnId, summary: origin.promptSummary, startedAt: openedAt, audience };
    const { personId } = audience;
    const isRepeat = this.#running.has(turnId);
    this.#running.set(turnId, turn);
    if (personId !== null && !isRepeat) this.#count({ agent, personId }, 1);
    return () => {
      if (this.#running.get(turnId) !== turn) return;
      this.#running.delete(turnId);
      if (personId === null) return;
      this.#count({ agent, personId }, -1);
      this.#wakeNext({ agent, personId });
    };
  }

  /** In this process. */
  isRunning(turnId: string): boolean {
    return this.#running.has(turnId);
  }

  /** How many turns of a person with an agent run in this process. */
  ofPerson(person: PersonOfAgent): number {
    return this.#counts.get(limitKey(person)) ?? 0;
  }

  /** Calls `wake` once fewer than `most` run here: one waiter per turn that ends, in order. The result ends the wait. */
  onRoom(person: PersonOfAgent, most: number, wake: () => void): () => void {
    if (this.ofPerson(person) < most) {
      wake();
      return () => undefined;
    }
    const key = limitKey(person);
    const queue = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, queue.add(wake));
    return () => this.#leaveQueue(key, wake);
  }

  /** `stop` is called when the person no longer wants the turn's answer. The result withdraws it. */
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

  #count(person: PersonOfAgent, change: number): void {
    const count = this.ofPerson(person) + change;
    if (count === 0) this.#counts.delete(limitKey(person));
    else this.#counts.set(limitKey(person), count);
  }

  #wakeNext(person: PersonOfAgent): void {
    const key = limitKey(person);
    const [next] = this.#waiting.get(key) ?? [];
    if (next === undefined) return;
    this.#leaveQueue(key, next);
    next();
  }

  #leaveQueue(key: string, wake: () => void): void {
    const queue = this.#waiting.get(key);
    if (queue?.delete(wake) && queue.size === 0) this.#waiting.delete(key);
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
