import type { FastifyInstance } from "fastify";
import { isReachAdapter, type UnreachableConversation } from "../../../adapters/contract/abilities.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { undeliveredOn } from "../../../core/delivery/undelivered/index.ts";
import { privateConversationOf } from "../../../core/people/index.ts";
import { type Channel, MAX_UNDELIVERED_COUNT, requests } from "../../admin-api/index.ts";
import { type ChannelRef, type ChannelState, liveGateways, pauseKey, readStatus } from "../../channel-status/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminRoute, checked, noteDetail, operatorOf } from "../admin-request.ts";
import { type ManagedChannel, managedChannel, managedChannels } from "../managed-resources.ts";
import type { Operator } from "../operator.ts";
import { pageOf } from "../page.ts";
import { publishNotice } from "../publish-notice.ts";

/** Channels: list, pause, resume and send a test message. */
export const channelRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, bus, store, clock } = deps;
  const show = (channel: ManagedChannel) => shownChannel(store, channel, clock.now());

  adminRoute(scope, "GET channels", async (request) => ({
    items: await Promise.all(managedChannels(config, request).map(show)),
  }));

  adminRoute(scope, "GET channels/:channel", async (request) =>
    show(managedChannel(config, request, request.params.channel)),
  );

  const act = (verb: "pause" | "resume", change: (ref: ChannelRef, by: Operator) => Promise<void>) =>
    adminRoute(scope, `POST channels/:channel/${verb}`, async (request) => {
      const channel = managedChannel(config, request, request.params.channel);
      await change(channel, operatorOf(request));
      // Gateways poll the record; the signal only makes them read it at once.
      bus.signal(subjectsOf(channel.tenant).channelChanged(channel.channel), { channel: channel.channel });
      return show(channel);
    });
  act("pause", async (ref, { role, token }) => {
    if ((await store.get(pauseKey(ref))) !== undefined) return;
    await store.put(pauseKey(ref), { at: isoTime(clock.now()), by: { role, token } });
  });
  act("resume", (ref) => store.delete(pauseKey(ref)));

  adminRoute(scope, "POST channels/:channel/test", async (request, reply) => {
    const { channel, tenant, agent } = managedChannel(config, request, request.params.channel);
    const { text, ...to } = checked(requests["POST channels/:channel/test"], request.body);
    const conversation = await conversationFor(store, { tenant, channel }, to);
    noteDetail(request, to);
    const id = `test-${request.id}`;
    await publishNotice(deps, {
      id,
      tenant,
      agent,
      markdown: text,
      audience: { conversation, personId: null, ...("account" in to && { accountId: to.account }) },
      traceId: id,
    });
    reply.code(202);
    return { replyId: id, conversation };
  });
};

const conversationFor = async (
  store: Store,
  { tenant, channel }: ChannelRef,
  to: { account: string } | { room: string; workspace?: string | undefined; thread?: string | undefined },
): Promise<Conversation> => {
  if (!("account" in to)) return { channel, ...to, kind: "shared" };
  const found = await privateConversationOf(store, { tenant, channel, accountId: to.account });
  if (found !== undefined) return found;
  throw new AppError(
    "bad-input",
    `account: "${to.account.slice(0, 60)}" has not written to the agent in private yet: use the id of an account that has`,
  );
};

const BEST_FIRST: readonly ChannelState[] = ["running", "standby", "failing"];
/** Stored records keep the former name. */
const SHOWN = { running: "running", standby: "standby", failing: "degraded" } as const;

const shownChannel = async (store: Store, channel: ManagedChannel, now: number): Promise<Channel> => {
  const [status, pause] = await Promise.all([readStatus(store, channel), store.get(pauseKey(channel))]);
  const gateways = liveGateways(status, now).map(([instance, report]) => ({ instance, ...report }));
  const best = BEST_FIRST.map((state) => gateways.find((gateway) => gateway.state === state)).find(Boolean);
  const { lastInAt, lastOutAt, errors } = status;
  const missing = {
    state: "failing" as const,
    reason: "no gateway runs this channel: start a gateway with this configuration",
  };
  const { state, reason } = best ?? missing;
  return {
    ...channel,
    state: pause ? "paused" : SHOWN[state],
    ...(reason !== undefined && !pause && { reason }),
    ...(pause && { paused: pause.value }),
    ...(lastInAt !== undefined && { lastInAt }),
    ...(lastOutAt !== undefined && { lastOutAt }),
    errors,
    undelivered: await countUndelivered(store, channel),
    gateways: gateways.map((gateway) => ({ ...gateway, state: SHOWN[gateway.state] })),
  };
};

const countUndelivered = async (store: Store, { tenant, channel }: ChannelRef): Promise<number> => {
  let count = 0;
  for await (const _ of store.list(undeliveredOn(tenant, channel))) if (++count === MAX_UNDELIVERED_COUNT) break;
  return count;
};

/** Conversations that the platform of a channel rejects messages for, and why. */
export const unreachableRoutes = (scope: FastifyInstance, { config, adapters }: AdminDeps): void => {
  adminRoute(scope, "GET channels/:channel/unreachable", async (request) => {
    const { channel } = managedChannel(config, request, request.params.channel);
    const page = checked(requests["GET channels/:channel/unreachable"], request.query);
    const adapter = adapters.find((each) => each.channel === channel);
    const list = () => (adapter && isReachAdapter(adapter) ? keyed(adapter.unreachable()) : keyed([]));
    return pageOf([{ name: channel, list }], page, ({ key: _, ...unreachable }) => unreachable);
  });
};

async function* keyed(conversations: AsyncIterable<UnreachableConversation> | Iterable<UnreachableConversation>) {
  for await (const value of conversations) yield { key: value.key, value };
}
