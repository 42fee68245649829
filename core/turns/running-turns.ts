import type { AgentRef } from "../contract/messages/addresses.ts";
import { type Conversation, conversationKey } from "../contract/messages/conversation.ts";
import type { RunningTurn, TurnsAsked } from "../contract/messages/signals.ts";
import { subjectsOf } from "../contract/messages/subjects.ts";
import type { Bus, Listener } from "../contract/ports/bus.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { TurnRecord } from "./record/index.ts";
import type { Agent } from "./turn.ts";

type Accounts = TurnsAsked["accounts"];

/** The key of the per-person limit; each agent of a process counts its own turns. */
interface PersonOfAgent {
  readonly agent: string;
  readonly personId: string;
}
const limitKey = ({ agent, personId }: PersonOfAgent): string => JSON.stringify([agent, personId]);

/** Long enough for a process in the same network to answer, short enough for a waiting user. */
const GATHER_MS = 150;

/**
 * The running turns of all processes. Nothing is stored, because turns are listed far less often than they run. The list
 * omits a process that does not answer in time, and a turn of a crashed process until another process takes it over.
 */
export class RunningTurns {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #running = new Map<string, { readonly turn: RunningTurn; readonly agent: string }>();
  /** Turns of this process, by agent and person. */
  readonly #counts = new Map<string, number>();
  /** Waiting turns by agent and person, the longest waiting first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #stops = new Map<string, () => void>();
  /** Callbacks by turn, called when it ends in this process. */
  readonly #ends = new Map<string, (() => void)[]>();
  readonly #gathering = new Map<string, Map<string, RunningTurn>>();
  readonly #listeners: Listener[] = [];

  constructor({ bus, clock }: { bus: Bus; clock: Clock }) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** The caller calls the result when the turn ends. */
  begin({ turnId, origin, audience, openedAt }: TurnRecord, agent: string): () => void {
    const running = { turn: { turnId, summary: origin.promptSummary, startedAt: openedAt, audience }, agent };
    const { personId } = audience;
    const isRepeat = this.#running.has(turnId);
    this.#running.set(turnId, running);
    if (personId !== null && !isRepeat) this.#count({ agent, personId }, 1);
    return () => {
      if (this.#running.get(turnId) !== running) return;
      this.#running.delete(turnId);
      for (const call of this.#ends.get(turnId) ?? []) call();
      this.#ends.delete(turnId);
      if (personId === null) return;
      this.#count({ agent, personId }, -1);
      this.#wakeNext({ agent, personId });
    };
  }

  /** Whether this process runs the turn. */
  isRunning(turnId: string): boolean {
    return this.#running.has(turnId);
  }

  /** Calls `call` when the turn ends in this process, in any way; at once if it does not run here. */
  whenOver(turnId: string, call: () => void): void {
    if (this.isRunning(turnId)) this.#ends.set(turnId, [...(this.#ends.get(turnId) ?? []), call]);
    else call();
  }

  /** The number of turns of a person with an agent in this process. */
  ofPerson(person: PersonOfAgent): number {
    return this.#counts.get(limitKey(person)) ?? 0;
  }

  /** Calls `wake` once fewer than `max` turns run here; each end wakes one waiter, in order. The result ends the wait. */
  onRoom(person: PersonOfAgent, max: number, wake: () => void): () => void {
    if (this.ofPerson(person) < max) {
      wake();
      return () => undefined;
    }
    const key = limitKey(person);
    const queue = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, queue.add(wake));
    return () => this.#leaveQueue(key, wake);
  }

  /** Registers the function that the person's stop command calls. The result removes it. */
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
        // A turn of another agent for the same person is not an answer of this one.
        const own = [...this.#running.values()].filter(({ agent }) => agent === name);
        const turns = own.map(({ turn }) => turn).filter((turn) => matches(about, turn));
        if (turns.length > 0) this.#bus.signal(subjects.turnsReported(name), { ask, turns });
      }),
      await this.#bus.listen(subjects.turnsReported(name), ({ ask, turns }) => {
        for (const turn of turns) this.#gathering.get(ask)?.set(turn.turnId, turn);
      }),
      await this.#bus.listen(subjects.turnsStopped(name), ({ turnIds }) => {
        for (const turnId of turnIds) this.#stops.get(turnId)?.();
      }),
    );
  }

  /** The running turns of these accounts, the oldest first. `ask` is the id of the request. */
  of(agent: AgentRef, accounts: Accounts, ask: string): Promise<RunningTurn[]> {
    return this.#gather(agent, { ask, accounts });
  }

  /** Whether a turn runs in a conversation. */
  async isBusy(agent: AgentRef, conversation: Conversation, ask: string): Promise<boolean> {
    const turns = await this.#gather(agent, { ask, accounts: [], conversation: conversationKey(conversation) });
    return turns.length > 0;
  }

  /** Best effort: a turn whose process just crashed continues in another process. */
  stop({ tenant, agent }: AgentRef, turns: readonly RunningTurn[]): void {
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

  async #gather({ tenant, agent }: AgentRef, asked: TurnsAsked): Promise<RunningTurn[]> {
    const { ask } = asked;
    const found = new Map<string, RunningTurn>();
    this.#gathering.set(ask, found);
    this.#bus.signal(subjectsOf(tenant).turnsAsked(agent), asked);
    await new Promise<void>((resolve) => this.#clock.after(GATHER_MS, resolve));
    this.#gathering.delete(ask);
    return [...found.values()].sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  }
}

const matches = (about: Pick<TurnsAsked, "accounts" | "conversation">, { audience }: RunningTurn): boolean =>
  about.conversation === conversationKey(audience.conversation) || isFor(about.accounts, audience);

const isFor = (accounts: Accounts, { conversation, accountId: asker }: RunningTurn["audience"]): boolean =>
  accounts.some(({ channel, accountId }) => channel === conversation.channel && accountId === asker);
