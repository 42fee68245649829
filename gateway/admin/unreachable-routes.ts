import type { FastifyInstance } from "fastify";
import type { UnreachablePlace } from "../../adapters/contract/abilities.ts";
import { isReachAdapter } from "../../adapters/contract/abilities.ts";
import type { AdminParts } from "./admin-parts.ts";
import { checked } from "./checked.ts";
import { managedChannel } from "./managed-channels.ts";
import { PageQuery, pageOf } from "./page.ts";

/** Conversations that a channel's platform takes nothing for, and why. */
export const unreachableRoutes = (scope: FastifyInstance, { config, adapters }: AdminParts): void => {
  scope.get<{ Params: { channel: string } }>("/admin/api/channels/:channel/unreachable", async (request) => {
    const { channel } = managedChannel(config, request, request.params.channel);
    const page = checked(PageQuery, request.query);
    const adapter = adapters.find((each) => each.channel === channel);
    const list = () => (adapter && isReachAdapter(adapter) ? keyed(adapter.unreachable()) : keyed([]));
    return pageOf([{ name: channel, list }], page, ({ key: _, ...place }) => place);
  });
};

async function* keyed(places: AsyncIterable<UnreachablePlace> | Iterable<UnreachablePlace>) {
  for await (const value of places) yield { key: value.key, value };
}
