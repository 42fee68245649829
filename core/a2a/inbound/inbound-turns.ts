import { messageOf } from "../../contract/app-error.ts";
import type { Listener } from "../../contract/bus.ts";
import { isoTime } from "../../contract/clock.ts";
import type { InboundTaskAddress } from "../../contract/inbound-task.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import type { CoreParts, RequestState } from "../../turns/index.ts";
import { changeTask, inState, withSaid } from "./change-task.ts";
import { callIn, type InboundCall, NOTED_AFTER_MS, newTask } from "./inbound-call.ts";
import type { InboundTask } from "./inbound-task.ts";
import { hasEnded, readTask, taskKey } from "./inbound-task.ts";
import { taskOfMessage } from "./task-of-turn.ts";
import { tellWebhooks } from "./tell-webhooks.ts";

/** A turn that has ended by then never says that it has begun, which would cost a write. */
const SAY_WORKING_AFTER_MS = 300;

type Parts = Pick<CoreParts, "bus" | "store" | "clock" | "logger">;
type Place = Pick<InboundTaskAddress, "tenant" | "agent">;

interface RunningTurn {
  readonly message: UserMessage;
  stop(): void;
}

export interface InboundRules {
  /** Skills whose answers people are told of too. Undefined: there is nowhere to tell them. */
  readonly toldSkills: readonly string[] | undefined;
}

/** The turns of this process that work on calling agents' tasks. */
export class InboundTurns {
  readonly #parts: Parts;
  /** By the spelling of their task's key. */
  readonly #running = new Map<string, RunningTurn>();
  readonly #listeners: Listener[] = [];
  readonly #rules = new Map<string, InboundRules>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Hears of cancelled tasks. A lost signal costs the rest of the turn, whose result is then dropped. */
  async listenTo({ tenant, agent }: Place, rules: InboundRules): Promise<void> {
    this.#rules.set(`${tenant}/${agent}`, rules);
    const subject = subjectsOf(tenant).a2aTaskChanged(agent);
    this.#listeners.push(await this.#parts.bus.listen(subject, (address) => void this.#look(address)));
  }

  /** A task has ended if the caller has cancelled it, or another turn has ended it. */
  async stateOf(message: UserMessage, seenBefore: boolean): Promise<RequestState> {
    const address = taskOfMessage(message);
    if (address === undefined) return "open";
    if (!seenBefore && this.#isUnknown(callIn(message))) return "new";
    const task = await readTask(this.#parts.store, address);
    if (task === undefined) return callIn(message) === undefined ? "ended" : "new";
    return hasEnded(task) ? "ended" : "open";
  }

  /** While the turn runs: says after a moment that the task is being worked on, and stops it if it is cancelled. */
  begin(message: UserMessage, stop: () => void): () => void {
    const address = taskOfMessage(message);
    if (address === undefined) return () => undefined;
    const { spelled } = taskKey(address);
    const running = { message, stop };
    this.#running.set(spelled, running);
    const timer = this.#parts.clock.after(SAY_WORKING_AFTER_MS, () => void this.#sayWorking(message, address));
    return () => {
      timer.cancel();
      if (this.#running.get(spelled) === running) this.#running.delete(spelled);
    };
  }

  /** What the turn at work on the task was asked; undefined if it goes on with something else. */
  callFor(address: InboundTaskAddress): InboundCall | undefined {
    const running = this.#running.get(taskKey(address).spelled);
    return running && callIn(running.message);
  }

  rulesOf({ tenant, agent }: Place): InboundRules {
    return this.#rules.get(`${tenant}/${agent}`) ?? { toldSkills: undefined };
  }

  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  /** Nobody has noted it, so nobody can have cancelled it. Should clocks differ, the end of the turn finds out. */
  #isUnknown(call: InboundCall | undefined): boolean {
    if (!call?.isAwaited) return false;
    return Math.abs(this.#parts.clock.now() - Date.parse(call.sentAt)) < NOTED_AFTER_MS;
  }

  async #look(address: InboundTaskAddress): Promise<void> {
    const { spelled } = taskKey(address);
    if (!this.#running.has(spelled)) return;
    try {
      const task = await readTask(this.#parts.store, address);
      if (task?.state === "canceled") this.#running.get(spelled)?.stop();
    } catch (error) {
      this.#parts.logger.warn({ task: address.id, error: messageOf(error) }, "not looked whether a task was cancelled");
    }
  }

  async #sayWorking(message: UserMessage, address: InboundTaskAddress): Promise<void> {
    const statusAt = isoTime(this.#parts.clock.now());
    try {
      const task = await changeTask(this.#parts, address, (stored) => working(stored, message, statusAt));
      if (task?.state === "working" && task.statusAt === statusAt) await tellWebhooks(this.#parts, task);
    } catch (error) {
      // Its end will be said, and that is what callers wait for.
      this.#parts.logger.warn({ task: address.id, error: messageOf(error) }, "not said that a task is worked on");
    }
  }
}

const working = (stored: InboundTask | undefined, message: UserMessage, statusAt: string): InboundTask | undefined => {
  const call = callIn(message);
  const known = stored ?? (call && newTask(call));
  if (known === undefined || known.ended.includes(message.id)) return stored;
  if (known.state !== "submitted" && known.state !== "input-required") return stored;
  return inState(call ? withSaid(known, call.said) : known, { state: "working", statusAt });
};
