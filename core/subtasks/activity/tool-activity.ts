import { messageOf } from "../../contract/app-error.ts";
import type { ActivityItem } from "../../contract/messages/agent-reply.ts";
import type { Bus } from "../../contract/ports/bus.ts";
import { type Clock, isoTime, type Timer } from "../../contract/ports/clock.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import { type Texts, textsFor } from "../../contract/texts/texts.ts";
import { publishReply } from "../../delivery/index.ts";
import { listNames } from "../../lib/index.ts";
import type { CoreDeps } from "../../turns/index.ts";

type ToolProgress = NonNullable<CoreDeps["toolProgress"]>;
type ReportingCall = Parameters<ToolProgress["note"]>[0];

/** Delay of the first state: a shorter call needs none. */
const FIRST_STATE_MS = 1_000;
/** Minimum time between two states of an entry (D8). */
const INTERVAL_MS = 2_000;

interface ProgressDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Answers are checked before people see them, and notes of tools would not be. */
  readonly isSilent: boolean;
}

/** The calls of one step that have reported progress. */
interface Entry {
  readonly items: Map<string, ActivityItem>;
  timer?: Timer | undefined;
  isShown: boolean;
  revision: number;
}

/** Shows the progress of long tool calls as an activity entry in the conversation where the person waits. */
export class ToolActivity implements ToolProgress {
  readonly #deps: ProgressDeps;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
  }

  note(call: ReportingCall, note: string): void {
    if (this.#deps.isSilent || !hasAudience(call)) return;
    const id = idOf(call);
    const entry: Entry = this.#entries.get(id) ?? { items: new Map(), isShown: false, revision: 0 };
    this.#entries.set(id, entry);
    const { startedAt = isoTime(this.#deps.clock.now()) } = entry.items.get(call.key) ?? {};
    entry.items.set(call.key, { id: call.key, name: call.tool, state: "running", startedAt, note });
    entry.timer ??= this.#deps.clock.after(entry.isShown ? INTERVAL_MS : FIRST_STATE_MS, () => {
      entry.timer = undefined;
      entry.isShown = true;
      void this.#publish(call, entry, "progress");
    });
  }

  async ended(call: ReportingCall, failed: boolean): Promise<void> {
    const id = idOf(call);
    const entry = this.#entries.get(id);
    const item = entry?.items.get(call.key);
    if (entry === undefined || item === undefined) return;
    const endedAt = isoTime(this.#deps.clock.now());
    entry.items.set(call.key, { ...item, state: failed ? "failed" : "completed", endedAt });
    if ([...entry.items.values()].some(({ state }) => state === "running")) return;
    entry.timer?.cancel();
    this.#entries.delete(id);
    if (entry.isShown) await this.#publish(call, entry, "completion");
  }

  stop(): void {
    for (const { timer } of this.#entries.values()) timer?.cancel();
    this.#entries.clear();
  }

  async #publish(call: ReportingCall, entry: Entry, kind: "progress" | "completion"): Promise<void> {
    const { bus, clock, logger } = this.#deps;
    const { tenant, agent, record } = call;
    const now = clock.now();
    // Grows with time in every process that runs the turn.
    entry.revision = Math.max(entry.revision + 1, now - Date.parse(record.openedAt));
    const { items, revision } = entry;
    const id = idOf(call);
    const shown = [...items.values()];
    const { activity } = textsFor(record.asker.locale);
    const names = listNames(
      shown.map(({ name }) => name),
      activity.and,
    );
    const title = kind === "completion" ? activity.used(names) : activity.using(names);
    try {
      await publishReply(bus, {
        id: `${id}/${revision}`,
        tenant,
        agent,
        sessionId: record.sessionId,
        kind,
        markdown: [title, ...shown.map((item) => lineOf(item, activity.states))].join("\n"),
        data: { activity: { id, revision, title, items: shown } },
        origin: record.origin,
        audience: record.audience,
        createdAt: isoTime(now),
        traceId: record.traceId,
      });
    } catch (error) {
      logger.debug({ turnId: record.turnId, error: messageOf(error) }, "could not publish progress");
    }
  }
}

const idOf = ({ record, step }: ReportingCall): string => `${record.turnId}/tools/${step}`;

/** Subtasks and work for other agents have no conversation in which a person waits. */
const hasAudience = ({ record: { correlationId, standing } }: ReportingCall): boolean =>
  correlationId !== undefined && standing.owner.ownerType !== "worker" && standing.owner.worksFor === undefined;

const lineOf = ({ name, state, note }: ActivityItem, states: Texts["activity"]["states"]): string =>
  `- ${name}: ${states[state]}${state === "running" && note !== undefined ? ` (${note})` : ""}`;
