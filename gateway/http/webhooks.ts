import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Webhook, WebhookAdapter, WebhookHead, WebhookResponse } from "../../adapters/contract/abilities.ts";

/** The HTTP endpoints of adapters. The adapter gets the raw body, because signatures cover bytes. */
export const webhookRoutes = async (app: FastifyInstance, adapters: readonly WebhookAdapter[]): Promise<void> => {
  // Only this scope leaves bodies unparsed.
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
    // Fastify rejects a limit of 0.
    bodyLimit: Math.max(1, webhook.maxBodyBytes),
    exposeHeadRoute: webhook.method === "GET",
    onRequest: async (request, reply) => {
      const refusal = await webhook.refuse?.(headOf(request, reply));
      return refusal && send(reply, refusal);
    },
    handler: (request, reply) => answer(webhook, request, reply),
  });
};

const answer = async (webhook: Webhook, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return send(reply, await webhook.handle({ ...headOf(request, reply), body }));
};

const headOf = (request: FastifyRequest, reply: FastifyReply): WebhookHead => ({
  headers: singleValues(request.headers),
  query: singleValues(request.query),
  remoteAddress: request.ip,
  whenClosed: (call) => void reply.raw.once("close", call),
});

const send = (reply: FastifyReply, { status, headers, body }: WebhookResponse): FastifyReply => {
  // Limits how long a file stays in memory if the client does not read it.
  reply.raw.setTimeout(SEND_TIMEOUT_MS, () => reply.raw.destroy());
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(body);
};

const SEND_TIMEOUT_MS = 30_000;

/** Drops values that were sent more than once, because they are ambiguous. */
const singleValues = (values: unknown): Record<string, string | undefined> => {
  const single: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(values ?? {})) if (typeof value === "string") single[name] = value;
  return single;
};

/** All routes of a channel are below this path. */
export const channelPath = (channel: string, path: string): string =>
  `/channels/${encodeURIComponent(channel)}/${path.replace(/^\/+/, "")}`;
