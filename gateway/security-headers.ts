import type { FastifyInstance } from "fastify";

/** For every answer that does not say otherwise: nothing here is to be framed, sniffed, cached or run. */
const DEFAULTS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export const addSecurityHeaders = (app: FastifyInstance): void => {
  app.addHook("onRequest", async (request, reply) => {
    reply.headers({ ...DEFAULTS, "x-request-id": request.id });
  });
};
