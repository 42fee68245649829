import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Webhook, WebhookResponse } from "../contract/abilities.ts";

/** Beside this file once built; in the build's folder when the sources are run. */
const BUILT = [new URL("./widget.js", import.meta.url), new URL("../../dist/adapters/web/widget.js", import.meta.url)];

/** Any page may load the script; which of them may open a socket is checked there. */
const OPEN_TO_ALL = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

/** `GET /channels/<channel>/widget.js` */
export const widgetWebhooks = (files: readonly URL[] = BUILT): readonly Webhook[] => {
  let loaded: Promise<{ body: Buffer; etag: string } | undefined> | undefined;
  return [
    {
      method: "GET",
      path: "widget.js",
      maxBodyBytes: 0,
      async handle({ headers }): Promise<WebhookResponse> {
        loaded ??= load(files);
        const widget = await loaded;
        if (widget === undefined) {
          loaded = undefined;
          return { status: 503, body: "The widget is not built: run `npm run build`.\n" };
        }
        const answer = { ...OPEN_TO_ALL, etag: widget.etag, "cache-control": "public, max-age=60, must-revalidate" };
        if (headers["if-none-match"] === widget.etag) return { status: 304, headers: answer };
        return {
          status: 200,
          headers: { ...answer, "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
          body: widget.body,
        };
      },
    },
    {
      method: "OPTIONS",
      path: "widget.js",
      maxBodyBytes: 0,
      async handle(): Promise<WebhookResponse> {
        return {
          status: 204,
          headers: { ...OPEN_TO_ALL, "access-control-allow-methods": "GET", "access-control-max-age": "86400" },
        };
      },
    },
  ];
};

const load = async (files: readonly URL[]): Promise<{ body: Buffer; etag: string } | undefined> => {
  for (const file of files) {
    const body = await readFile(file).catch(() => undefined);
    if (body) return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
  }
  return undefined;
};
