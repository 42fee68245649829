import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Webhook, WebhookResponse } from "../../contract/abilities.ts";

/** The widget, the scripts that it loads on demand, and the client for pages with a chat of their own (`mooring/web`). */
const SCRIPTS = ["widget.js", "widget-markdown.js", "widget-more.js", "widget-de.js", "widget-es.js", "client.js"];

/** In a build the scripts are beside this file; when the sources run, they are in `dist/`. */
const BUILT = [new URL("./", import.meta.url), new URL("../../../dist/", import.meta.url)];

/** Any page may load the script; the origin check happens when it opens a socket. */
const OPEN_TO_ALL = { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" };

/** Serves the scripts below `GET /channels/<channel>/`. */
export const widgetWebhooks = (folders: readonly URL[] = BUILT): readonly Webhook[] =>
  SCRIPTS.flatMap((name) =>
    scriptWebhooks(
      name,
      folders.map((folder) => new URL(name, folder)),
    ),
  );

const scriptWebhooks = (path: string, files: readonly URL[]): readonly Webhook[] => {
  let loaded: Promise<{ body: Buffer; etag: string } | undefined> | undefined;
  return [
    {
      method: "GET",
      path,
      maxBodyBytes: 0,
      async handle({ headers }): Promise<WebhookResponse> {
        loaded ??= load(files);
        const script = await loaded;
        if (script === undefined) {
          loaded = undefined;
          return { status: 503, body: "The widget is not built: run `npm run build`.\n" };
        }
        const answer = { ...OPEN_TO_ALL, etag: script.etag, "cache-control": "public, max-age=60, must-revalidate" };
        if (headers["if-none-match"] === script.etag) return { status: 304, headers: answer };
        return {
          status: 200,
          headers: { ...answer, "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
          body: script.body,
        };
      },
    },
    {
      method: "OPTIONS",
      path,
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
