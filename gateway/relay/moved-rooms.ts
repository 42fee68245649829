import { z } from "zod";
import { isMovingRoomsAdapter, isPermalinkAdapter, type RoomMove } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter, Delivery, Inbox } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../core/contract/messages/user-message.ts";
import { collection, keyOf } from "../../core/contract/ports/store.ts";
import { update } from "../../core/contract/ports/update.ts";
import type { RelayContext } from "./context.ts";

const Room = z.looseObject({ room: z.string().min(1) });
/** By the id under which the conversation is known: the room's id on the platform now. */
const movedTo = collection("room-moved-to", Room);
/** By the room's id on the platform: the id under which the conversation is known. */
const knownAs = collection("room-known-as", Room);

type Deps = Pick<RelayContext, "store" | "checkpoint" | "logger">;

/**
 * The moves of a channel's rooms. Everything that is stored keeps the id that a room had first: its session, schedules,
 * people and posted messages need no change. Only the adapter gets the current id.
 */
export class MovedRooms {
  readonly #channel: string;
  readonly #deps: Deps;

  constructor(channel: string, deps: Deps) {
    this.#channel = channel;
    this.#deps = deps;
  }

  /** Idempotent: after a crash the platform repeats its event, or the next delivery fails with "moved" again. */
  async report({ from, to }: RoomMove): Promise<void> {
    const { store, checkpoint, logger } = this.#deps;
    const first = (await this.#knownAs(from)) ?? from;
    // Written first: a message from the new room then never starts a second conversation once deliveries go there.
    if (to !== first) await update(store, keyOf(knownAs, this.#channel, to), (known) => known ?? { room: first });
    await checkpoint("room.known");
    await update(store, keyOf(movedTo, this.#channel, first), (known) => (known?.room === to ? known : { room: to }));
    await checkpoint("room.moved");
    logger.info({ channel: this.#channel, from, to }, "room moved");
  }

  /** The address on the platform of a conversation that is stored somewhere. */
  async current<C extends Conversation>(conversation: C): Promise<C> {
    const moved = await this.#deps.store.get(keyOf(movedTo, this.#channel, conversation.room));
    return moved === undefined ? conversation : { ...conversation, room: moved.value.room };
  }

  /** The conversation of an address on the platform. */
  async known<C extends Conversation>(conversation: C): Promise<C> {
    const room = await this.#knownAs(conversation.room);
    return room === undefined ? conversation : { ...conversation, room };
  }

  async #knownAs(room: string): Promise<string | undefined> {
    return (await this.#deps.store.get(keyOf(knownAs, this.#channel, room)))?.value.room;
  }
}

const REACTIONS = ["markSeen", "markWorking", "unmarkWorking"];

/** More moves than this in one delivery are a loop of the platform. */
const MAX_MOVES = 3;

/**
 * Wraps an adapter whose rooms move: it gets current addresses, and the rest of the gateway the known ones. Other
 * adapters stay as they are, because each translation reads the store.
 */
export const followMoves = (deps: Deps, adapter: ChannelAdapter): ChannelAdapter => {
  if (!isMovingRoomsAdapter(adapter)) return adapter;
  const rooms = new MovedRooms(adapter.channel, deps);
  const report = (move: RoomMove) => rooms.report(move);

  const sending = async <R>(delivery: Delivery, send: (current: Delivery) => Promise<R>): Promise<R> => {
    for (let moves = 0; ; moves++) {
      const target = await currentOrFail(rooms, delivery.target);
      try {
        return await send({ ...delivery, target });
      } catch (error) {
        if (!(error instanceof DeliveryFailed && error.reason === "moved")) throw error;
        if (error.movedTo === undefined || moves === MAX_MOVES)
          throw new DeliveryFailed("target-gone", `the room has moved: ${error.message}`, { cause: error });
        await report({ from: target.room, to: error.movedTo });
      }
    }
  };
  const known = async <M extends InboundMessage>(message: M): Promise<M> => {
    const conversation = await rooms.known(message.conversation);
    if (conversation === message.conversation) return message;
    // Requested now: a later request would have the known address, in which this message does not exist.
    const { messageId, link } = message;
    const isMissing = link === undefined && messageId !== undefined && isPermalinkAdapter(adapter);
    const own = isMissing ? await adapter.permalink(message.conversation, messageId).catch(() => undefined) : link;
    return { ...message, conversation, ...(own !== undefined && { link: own }) };
  };

  const inCurrent = (name: string) => async (conversation: Conversation, id: string) =>
    call(name, await rooms.current(conversation), id);
  const translated: Record<string, (...args: never[]) => unknown> = {
    start: (inbox: Inbox) => {
      adapter.reportMovesTo(report);
      return adapter.start({ accept: async (message) => inbox.accept(await known(message)) });
    },
    deliver: (delivery: Delivery) => sending(delivery, (current) => adapter.deliver(current)),
    edit: (id: string, delivery: Delivery) => sending(delivery, (current) => call("edit", id, current)),
    deliverOnlyTo: (id: string, delivery: Delivery) =>
      sending(delivery, (current) => call("deliverOnlyTo", id, current)),
    find: (delivery: Delivery) => sending(delivery, (current) => call("find", current)),
    showTyping: async (conversation: Conversation) => call("showTyping", await rooms.current(conversation)),
    ...Object.fromEntries(REACTIONS.map((name) => [name, inCurrent(name)])),
    isMember: inCurrent("isMember"),
    privateConversation: async (id: string) => rooms.known((await call("privateConversation", id)) as Conversation),
  };
  const call = (name: string, ...args: unknown[]): Promise<unknown> =>
    Reflect.apply(Reflect.get(adapter, name), adapter, args);
  return new Proxy<ChannelAdapter>(adapter, {
    get(target, name) {
      const own = typeof name === "string" && name in target ? translated[name] : undefined;
      const value = own ?? Reflect.get(target, name);
      // Methods with private fields need the adapter itself as `this`.
      return typeof value === "function" && own === undefined ? value.bind(target) : value;
    },
  });
};

/** A failed read is not the platform's failure, so nothing was sent. */
const currentOrFail = async (rooms: MovedRooms, target: Conversation): Promise<Conversation> => {
  try {
    return await rooms.current(target);
  } catch (cause) {
    throw new DeliveryFailed("unavailable", "could not read the moves of the room from the store", { cause });
  }
};
