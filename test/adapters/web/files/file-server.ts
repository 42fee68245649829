import Fastify from "fastify";
import type { WebAdapter } from "../../../../adapters/web/adapter.ts";
import { webhookRoutes } from "../../../../gateway/http/webhooks.ts";

interface Upload {
  readonly name?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

/** Serves a web adapter's files through the gateway's routes. */
export const fileServer = async (adapter: WebAdapter) => {
  const app = Fastify();
  await webhookRoutes(app, [adapter]);
  const url = `/channels/${adapter.channel}/files`;
  const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });
  const post = (token: string | undefined, payload: Buffer | string, { name, type, headers }: Upload = {}) =>
    app.inject({
      method: "POST",
      url: name === undefined ? url : `${url}?name=${encodeURIComponent(name)}`,
      headers: { ...bearer(token), "content-type": type ?? "text/plain", ...headers },
      payload,
    });
  return {
    post,
    upload: async (token: string, payload: Buffer | string, options?: Upload) => {
      const answer = await post(token, payload, options);
      if (answer.statusCode !== 201) throw new Error(`refused with ${answer.statusCode}: ${answer.body}`);
      return answer.json<{ id: string; name: string; mediaType: string; bytes: number; expiresAt: string }>();
    },
    download: (token: string | undefined, id: string, headers: Record<string, string> = {}) =>
      app.inject({
        method: "GET",
        url: `${url}?id=${encodeURIComponent(id)}`,
        headers: { ...bearer(token), ...headers },
      }),
    preflight: (origin: string) => app.inject({ method: "OPTIONS", url, headers: { origin } }),
  };
};
