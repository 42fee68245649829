import type { FastifyInstance } from "fastify";
import { checkOwnerProof } from "../../adapters/web/terminal/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { createOwnerLink } from "./owner-links.ts";

/** The purpose of the proof, so that it opens no conversation. Channel names have no space. */
export const LINK_PROOF = "owner links";
export const LINKS_PATH = "/owner/links";

interface OwnerRouteDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly secret: Buffer;
}

/** Lets `mooring owner-link` get a new one-time link from the running gateway. */
export const ownerRoutes =
  (deps: OwnerRouteDeps) =>
  async (app: FastifyInstance): Promise<void> => {
    app.post(LINKS_PATH, async (request, reply) => {
      const proof = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      if (!checkOwnerProof(deps.secret, LINK_PROOF, proof, deps.clock.now()))
        throw new AppError("unauthorised", "the owner secret is missing or wrong");
      return reply.header("cache-control", "no-store").send({ link: await createOwnerLink(deps, deps.publicUrl) });
    });
  };
