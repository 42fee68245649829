import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Webhook, WebhookAdapter, WebhookHead, WebhookResponse } from "../../../adapters/contract/abilities.ts";
import { channelPath } from "./channel-path.ts";

/** What platforms and browsers call over HTTP. The body reaches the adapter as it came: signatures are over bytes. */
export const webhookRoutes = async (app: FastifyInstance, adapters: readonly WebhookAdapter[]): Promise<void> => {
  // a scope of its own: nowhere else is a body left unparsed
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: FastifyRequest, body: Buffer) => body);
    for (const { channel, webhooks } of adapters) {
      for (const webhook of webhooks) addWebhook(scope, channelPath(channel, webhook.path), webhook);
    }
  });
};

const addWebhook = (scope: FastifyInstance, url: string, webhook: Webhook): void => {
  scope.route({
    method: webhook.method,
    url,
    // Fastify knows no limit of 0
    bodyLimit: Math.max(1, webhook.maxBodyBytes),
    exposeHeadRoute: webhook.method === "GET",
    onRequest: async (request, reply) => {
      const refusal = await webhook.refuse?.(headOf(request));
      return refusal && send(reply, refusal);
    },
    handler: (request, reply) => answer(webhook, request, reply),
  });
};

const answer = async (webhook: Webhook, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return send(reply, await webhook.handle({ ...headOf(request), body }));
};

const headOf = (request: FastifyRequest): WebhookHead => ({
  headers: singleValues(request.headers),
  query: singleValues(request.query),
  remoteAddress: request.ip,
});

const send = (reply: FastifyReply, { status, headers, body }: WebhookResponse): FastifyReply => {
  // A file that the client stops reading stays in memory no longer than this.
  reply.raw.setTimeout(READ_ON_WITHIN_MS, () => reply.raw.destroy());
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(body);
};

const READ_ON_WITHIN_MS = 30_000;

/** A value that was sent more than once is left out: which of them counts would be a guess. */
const singleValues = (values: unknown): Record<string, string | undefined> => {
  const single: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(values ?? {})) if (typeof value === "string") single[name] = value;
  return single;
};
