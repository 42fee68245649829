import { messageOf } from "../../contract/app-error.ts";
import type { AgentRef, InboundTaskAddress } from "../../contract/messages/addresses.ts";
import type { InboundCall } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { SyntheticMessage } from "../../contract/messages/user-message.ts";
import type { Listener } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import type { CoreDeps } from "../../turns/index.ts";
import type { RequestState } from "../../turns/source/index.ts";
import { callIn, newTask, RECORD_AFTER_MS, taskOfMessage } from "./inbound-call.ts";
import {
  changeTask,
  hasEnded,
  type InboundTask,
  notifyWebhooks,
  readTask,
  taskKey,
  withMessage,
  withStatus,
} from "./inbound-task.ts";
import type { NoticeRules } from "./notices.ts";

/**
 * Shorter turns skip the "working" status. Saves the write of a task and of its index entry: 24 % of the time of a call on
 * embedded, 33 % on NATS (docs/performance.md, Saved round trips).
 */
const WORKING_AFTER_MS = 300;

type Deps = Pick<CoreDeps, "bus" | "store" | "clock" | "logger">;

interface RunningTurn {
  readonly message: SyntheticMessage;
  stop(): void;
}

export interface InboundRules {
  /** Skills whose answers are also posted to people. */
  readonly noticeSkills: readonly string[];
  /** Undefined if the agent has no place for notices. */
  readonly notices?: NoticeRules | undefined;
}

/** The running turns of this process for inbound tasks. */
export class InboundTurns {
  readonly #deps: Deps;
  /** Keyed by the encoded key of the task. */
  readonly #running = new Map<string, RunningTurn>();
  readonly #listeners: Listener[] = [];
  readonly #rules = new Map<string, InboundRules>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Listens for cancelled tasks. After a lost signal the turn runs to its end, and its result is dropped. */
  async listenTo({ tenant, agent }: AgentRef, rules: InboundRules): Promise<void> {
    this.#rules.set(`${tenant}/${agent}`, rules);
    const subject = subjectsOf(tenant).a2aTaskChanged(agent);
    this.#listeners.push(await this.#deps.bus.listen(subject, (address) => void this.#stopIfCancelled(address)));
  }

  /** "ended": the caller cancelled the task, or another turn ended it. */
  async stateOf(message: SyntheticMessage, seenBefore: boolean): Promise<RequestState> {
    const address = taskOfMessage(message);
    if (address === undefined) return "open";
    if (!seenBefore && this.#isUnstored(callIn(message))) return "new";
    const task = await readTask(this.#deps.store, address);
    if (task === undefined) return callIn(message) === undefined ? "ended" : "new";
    return hasEnded(task) ? "ended" : "open";
  }

  /** Registers a running turn: sets the task to "working" after a moment, and stops the turn on cancellation. */
  begin(message: SyntheticMessage, stop: () => void): () => void {
    const address = taskOfMessage(message);
    if (address === undefined) return () => undefined;
    const { encoded } = taskKey(address);
    const running = { message, stop };
    this.#running.set(encoded, running);
    const timer = this.#deps.clock.after(WORKING_AFTER_MS, () => void this.#setWorking(message, address));
    return () => {
      timer.cancel();
      if (this.#running.get(encoded) === running) this.#running.delete(encoded);
    };
  }

  /** The call of the task's running turn; undefined if a continuation runs. */
  callFor(address: InboundTaskAddress): InboundCall | undefined {
    const running = this.#running.get(taskKey(address).encoded);
    return running && callIn(running.message);
  }

  rulesOf({ tenant, agent }: AgentRef): InboundRules {
    return this.#rules.get(`${tenant}/${agent}`) ?? { noticeSkills: [] };
  }

  close(): void {
    for (const listener of this.#listeners) listener.close();
  }

  /** The gateway has not stored the task yet, so it is not cancelled. With clock skew, the end of the turn detects it. */
  #isUnstored(call: InboundCall | undefined): boolean {
    if (!call?.isAwaited) return false;
    return Math.abs(this.#deps.clock.now() - Date.parse(call.sentAt)) < RECORD_AFTER_MS;
  }

  async #stopIfCancelled(address: InboundTaskAddress): Promise<void> {
    const { encoded } = taskKey(address);
    if (!this.#running.has(encoded)) return;
    try {
      const task = await readTask(this.#deps.store, address);
      if (task?.state === "canceled") this.#running.get(encoded)?.stop();
    } catch (error) {
      this.#deps.logger.warn(
        { task: address.id, error: messageOf(error) },
        "could not check inbound task for cancellation",
      );
    }
  }

  async #setWorking(message: SyntheticMessage, address: InboundTaskAddress): Promise<void> {
    const statusAt = isoTime(this.#deps.clock.now());
    try {
      const task = await changeTask(this.#deps, address, (stored) => working(stored, message, statusAt));
      if (task?.state === "working" && task.statusAt === statusAt) await notifyWebhooks(this.#deps, task);
    } catch (error) {
      // Callers wait for the end of the task, which is reported independently.
      this.#deps.logger.warn({ task: address.id, error: messageOf(error) }, "could not set inbound task to working");
    }
  }
}

const working = (
  stored: InboundTask | undefined,
  message: SyntheticMessage,
  statusAt: string,
): InboundTask | undefined => {
  const call = callIn(message);
  const known = stored ?? (call && newTask(call));
  if (known === undefined || known.ended.includes(message.id)) return stored;
  if (known.state !== "submitted" && known.state !== "input-required") return stored;
  return withStatus(call ? withMessage(known, call.said) : known, { state: "working", statusAt });
};
