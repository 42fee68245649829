import type { Accepted, Inbox } from "../../adapters/contract/channel-adapter.ts";
import type { AccessRules } from "../../adapters/contract/config.ts";
import type { RateShare } from "../../adapters/contract/rate-limit.ts";
import { isInOrder } from "../../core/commands/index.ts";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import { conversationKey } from "../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { FromPerson, InboundMessage } from "../../core/contract/messages/user-message.ts";
import { alwaysWritable, unlessUnwritable, type WriteAvailability } from "../../core/contract/ports/backbone.ts";
import type { Bus, Listener } from "../../core/contract/ports/bus.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { type Checkpoint, type Meter, noCheckpoint } from "../../core/contract/ports/telemetry.ts";
import { ToldError } from "../../core/contract/texts/told-error.ts";
import { noteEdit, REPORT_LOAD_EVERY_MS } from "../../core/intake/index.ts";
import type { BlockedAccounts } from "../../core/rights/index.ts";
import { traceIdOf } from "../../core/turns/record/index.ts";
import { accessCheck } from "./channel-rules.ts";
import { SenderTexts } from "./sender-texts.ts";

interface InboxDeps {
  readonly bus: Bus;
  readonly store: Store;
  readonly clock: Clock;
  /** Absent: every account that the adapter accepts may write. */
  readonly access?: AccessRules | undefined;
  /** Joins the rate limit of accounts with other gateways; absent: this one counts alone. */
  readonly messageRates?: RateShare | undefined;
  /** Absent: no account is blocked. */
  readonly blocked?: BlockedAccounts | undefined;
  /** The locale of a channel, for senders whose own is unknown. */
  readonly localeOn?: ((channel: string) => string | undefined) | undefined;
  /** Throws "rate-limited" while too many messages wait for the agent. */
  readonly refuseIfOverloaded?: (() => void) | undefined;
  /** Refuses messages at once while the store cannot write; absent: each write is tried. */
  readonly writes?: WriteAvailability | undefined;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly checkpoint?: Checkpoint;
  /** Called after a message for the agent is stored; must not fail. */
  readonly onStored?: ((message: FromPerson) => void) | undefined;
  /** Queues the fetching of a message's files. */
  readonly read?: (<M extends FromPerson>(message: M) => Promise<M>) | undefined;
}

/** Publishes the messages of a channel. Rejects if it refuses or cannot store one; the adapter reports that to its platform. */
export const createInbox = (deps: InboxDeps): Inbox => {
  const {
    bus,
    store,
    clock,
    access,
    blocked,
    logger,
    meter,
    checkpoint = noCheckpoint,
    read = async (message) => message,
    onStored = () => undefined,
    refuseIfOverloaded = () => undefined,
    writes = alwaysWritable,
  } = deps;
  const check = accessCheck(access, clock, deps.messageRates);
  const senders = new SenderTexts(deps);
  const keep = async (message: InboundMessage): Promise<Accepted> => {
    const { id, tenant, agent } = message;
    if (await isIgnored(blocked, message)) return "ignored";
    check(message);
    if (message.kind === "edit") {
      await noteEdit(store, message);
      return undefined;
    }
    if (message.kind === "message") refuseIfOverloaded();
    const known = isNamed(access) ? identified(message) : message;
    const whole = known.attachments.length === 0 ? known : await read(known);
    await bus.publish(subjectsOf(tenant).userMessage(agent), whole, { id, key: laneOf(message) });
    return undefined;
  };
  return {
    async accept(given) {
      // A redelivery by the platform gets the same trace id.
      const traceId = traceIdOf(given);
      const message = { ...given, traceId };
      const { channel } = message.conversation;
      await checkpoint("inbox.before");
      let accepted: Accepted;
      try {
        accepted = await unlessUnwritable(writes, () => keep(message));
      } catch (error) {
        meter.count("messages_refused_total", { channel });
        throw await senders.told(error, message);
      }
      if (accepted === "ignored") {
        meter.count("messages_refused_total", { channel });
        logger.debug({ channel, message: message.id, traceId }, "message of a blocked account ignored");
      }
      if (accepted === "ignored" || message.kind === "edit") return accepted;
      await checkpoint("inbox.stored");
      meter.count("messages_accepted_total", { channel });
      logger.debug({ channel, message: message.id, traceId }, "message accepted");
      if (message.kind === "message") onStored(message);
      return undefined;
    },
  };
};

/** Access rules that list accounts let in only those, so a visitor among them is a member (R1). */
const isNamed = (access: AccessRules | undefined): boolean => Array.isArray(access?.accounts);

const identified = <M extends FromPerson>(message: M): M => {
  const { anonymous: _, ...account } = message.account;
  return { ...message, account };
};

/** A blocked account gets one refusal, on any gateway; everything else that it sends is ignored. */
const isIgnored = async (
  blocked: BlockedAccounts | undefined,
  { kind, tenant, conversation: { channel }, account }: InboundMessage,
): Promise<boolean> => {
  const address = { tenant, channel, accountId: account.id };
  if (blocked === undefined || !blocked.has(address)) return false;
  if (kind !== "edit" && (await blocked.claimRefusal(address)))
    throw new ToldError("forbidden", ({ refusals }) => refusals.blocked);
  return true;
};

/** Commands bypass the running turn: `cancel` would come too late behind it. */
const laneOf = (message: FromPerson): string => {
  const key = conversationKey(message.conversation);
  return message.kind === "message" || isInOrder(message.command.name) ? key : `${key}/commands`;
};

interface BackpressureDeps extends AgentRef {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly maxWaiting: number;
}

/** A process that has reported no load for this long has an empty queue or has stopped. */
const LOAD_TTL_MS = 2.5 * REPORT_LOAD_EVERY_MS;

/** Counts the messages that wait for an agent in all core processes, and refuses further ones above the limit. */
export class Backpressure {
  readonly #deps: BackpressureDeps;
  readonly #loads = new Map<string, { readonly waiting: number; readonly at: number }>();
  #listener: Listener | undefined;

  constructor(deps: BackpressureDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { bus, clock, tenant, agent } = this.#deps;
    this.#listener = await bus.listen(subjectsOf(tenant).intakeLoad(agent), ({ process, waiting }) => {
      this.#loads.set(process, { waiting, at: clock.monotonic() });
    });
  }

  stop(): void {
    this.#listener?.close();
  }

  /** Throws "rate-limited": the adapter then notifies the sender, and the platform does not redeliver. */
  readonly refuseIfOverloaded = (): void => {
    const now = this.#deps.clock.monotonic();
    let waiting = 0;
    for (const [process, load] of this.#loads) {
      if (now - load.at > LOAD_TTL_MS) this.#loads.delete(process);
      else waiting += load.waiting;
    }
    if (waiting < this.#deps.maxWaiting) return;
    throw new ToldError("rate-limited", ({ refusals }) => refusals.overloaded);
  };
}
