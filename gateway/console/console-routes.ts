import type { FastifyInstance, FastifyReply } from "fastify";
import { AppError } from "../../core/contract/app-error.ts";
import { consoleAssets } from "./console-assets.ts";
import { CONSOLE_HTML, CONSOLE_POLICY } from "./console-page.ts";

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
