import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { acceptedPushTokens, type IdentityKeys, loadIdentity } from "../../../core/a2a/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { Name } from "../../../core/contract/ports/token.ts";
import { digestOf, markAuthenticated } from "../../http/index.ts";

const MAX_BODY_BYTES = 1_000_000;
const TOKEN = "x-a2a-notification-token";

interface CallParams extends AgentRef {
  readonly call: string;
}

/**
 * Webhook for push notifications of remote agents. A notification is only a hint to poll the task; its body is ignored,
 * and its token authorises no more than that.
 */
export const peerEventRoute =
  ({ bus, store }: Pick<Backbone, "bus" | "store">, keys?: () => IdentityKeys) =>
  async (app: FastifyInstance): Promise<void> => {
    const identity = await loadIdentity(store, keys);
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", { parseAs: "buffer" }, async (_request: FastifyRequest, body: Buffer) => body);
      scope.post<{ Params: CallParams }>(
        "/a2a-events/:tenant/:agent/:call",
        {
          bodyLimit: MAX_BODY_BYTES,
          // Runs before the body is read.
          onRequest: async (request) => {
            const { tenant, agent, call: id } = request.params;
            const accepted = isAddress(request.params) ? acceptedPushTokens(identity, { tenant, agent, id }) : [];
            // Without the token, the response does not reveal whether the call exists.
            if (!isOneOf(accepted, tokenIn(request))) {
              throw new AppError("unauthorised", "the token of this notification is wrong");
            }
            markAuthenticated(request);
          },
        },
        async (request, reply) => {
          const { tenant, agent, call: id } = request.params;
          const digest = createHash("sha256").update(bodyOf(request)).digest("hex").slice(0, 16);
          const subject = subjectsOf(tenant).peerEvent(agent);
          await bus.publish(subject, { tenant, agent, id }, { id: `${id}/hint/${digest}`, key: id });
          return reply.code(202).send();
        },
      );
    });
  };

const isAddress = ({ tenant, agent, call }: CallParams): boolean =>
  Name.safeParse(tenant).success && Name.safeParse(agent).success && /^call-[0-9a-f]{12}$/.test(call);

/** Reads the protocol's header, else a bearer token. */
const tokenIn = ({ headers }: FastifyRequest): string | undefined => {
  const own = headers[TOKEN];
  if (typeof own === "string") return own;
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
};

/** Compares with all tokens in constant time. */
const isOneOf = (accepted: readonly string[], given = ""): boolean =>
  accepted.filter((token) => timingSafeEqual(digestOf(given), digestOf(token))).length > 0;

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));
