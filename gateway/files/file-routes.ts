import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { downloadHeaders } from "../../adapters/contract/files/download-headers.ts";
import type { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { openFile, openLink } from "../../core/files/index.ts";
import { FILES_PATH } from "./file-linker.ts";

interface FileRoutesDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Whether the conversation may still see the reply, by the rules of its channel (D3). */
  isStillTarget(reply: AgentReply, target: Conversation): Promise<boolean>;
}

/**
 * Serves the files of replies by their links. Each request decides again whether the conversation may see the reply. The
 * same answer for every refusal tells a stranger nothing.
 */
export const fileRoutes =
  (deps: FileRoutesDeps) =>
  async (app: FastifyInstance): Promise<void> => {
    app.get<{ Params: { token: string; index: string } }>(`${FILES_PATH}/:token/:index`, async (request, reply) => {
      const { token, index } = request.params;
      const opened = await openLink(deps, token, index);
      if (opened === undefined || !(await deps.isStillTarget(opened.reply, opened.target))) return refuse(reply);
      const content = await openFile(deps.store, opened.file);
      if (content === undefined) return refuse(reply);
      return reply.headers(downloadHeaders(opened.file)).send(Readable.from(content, { objectMode: false }));
    });
  };

const refuse = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .headers({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
    .send(
      "This link does not work. It may have expired after 24 hours, or it was revoked.\nAsk for the file again in the chat.\n",
    );

/** On a host of its own, the address of files serves only files: a file never shares an origin with widget and console. */
export const filesHostOnly =
  (filesUrl: string | undefined, publicUrl: string) =>
  async (app: FastifyInstance): Promise<void> => {
    const host = filesUrl === undefined ? undefined : new URL(filesUrl).host;
    if (host === undefined || host === new URL(publicUrl).host) return;
    app.addHook("onRequest", async (request, reply) => {
      const isForFiles = request.url.startsWith(`${FILES_PATH}/`);
      return (request.host === host) === isForFiles ? undefined : refuse(reply);
    });
  };
