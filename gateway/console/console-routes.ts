import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError } from "../../core/contract/app-error.ts";

/** Serves the console. It contains no data: the browser gets it from the admin API with the operator's token. */
export const consoleRoutes = async (app: FastifyInstance): Promise<void> => {
  const readAsset = consoleAssets();

  const sendPage = async (_request: unknown, reply: FastifyReply) =>
    reply
      .type("text/html; charset=utf-8")
      .headers({ "cache-control": "no-store", "content-security-policy": CONSOLE_POLICY })
      .send(CONSOLE_HTML);
  app.get("/console", sendPage);
  app.get("/console/*", sendPage);

  app.get<{ Params: { name: string } }>("/console/assets/:name", async (request, reply) => {
    const asset = await readAsset(request.params.name);
    if (asset === "unknown") throw new AppError("not-found", "the console has no such file");
    if (asset === "not-built") throw new AppError("unavailable", "the console is not built: run `npm run build`");
    // Revalidated on each load, so that page and script have the same version.
    reply.headers({ etag: asset.etag, "cache-control": "no-cache" });
    if (request.headers["if-none-match"] === asset.etag) return reply.code(304).send();
    return reply.type(asset.contentType).send(asset.body);
  });
};

/** Served for every address below `/console`; the browser renders it with data of the admin API. */
const CONSOLE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mooring console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/assets/console.css">
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. The admin API at /admin/api/ offers the same data and actions.</noscript>
<script type="module" src="/console/assets/console.js"></script>
</body>
</html>
`;

/** Allows the console's own script, style and API only: no frames, no form targets, no inline scripts. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

interface ConsoleAsset {
  readonly contentType: string;
  readonly body: Buffer;
  readonly etag: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  "console.js": "text/javascript; charset=utf-8",
  "console.css": "text/css; charset=utf-8",
};

/** Beside this file in a build; in `dist/` when running from source. */
const BUILT = [new URL("./", import.meta.url), new URL("../../dist/", import.meta.url)];

type ReadAsset = (name: string) => Promise<ConsoleAsset | "unknown" | "not-built">;

/** The files that the page loads, cached after the first read. */
const consoleAssets = (folders: readonly URL[] = BUILT): ReadAsset => {
  const cached = new Map<string, ConsoleAsset>();
  return async (name) => {
    const contentType = CONTENT_TYPES[name];
    if (contentType === undefined) return "unknown";
    for (const folder of cached.has(name) ? [] : folders) {
      const body = await readFile(new URL(name, folder)).catch(() => undefined);
      if (body === undefined) continue;
      const digest = createHash("sha256").update(body).digest("base64url");
      cached.set(name, { contentType, body, etag: `"${digest.slice(0, 22)}"` });
      break;
    }
    return cached.get(name) ?? "not-built";
  };
};
