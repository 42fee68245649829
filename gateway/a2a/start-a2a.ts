import type { FastifyInstance } from "fastify";
import type { Config } from "../../config/config.ts";
import { createGuardedFetch } from "../../core/a2a/guarded-fetch.ts";
import type { Backbone } from "../../core/contract/backbone.ts";
import type { Consumer } from "../../core/contract/bus.ts";
import type { Checkpoint } from "../../core/contract/checkpoint.ts";
import { noCheckpoint } from "../../core/contract/checkpoint.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { subjectsOf } from "../../core/contract/subjects.ts";
import { a2aScope } from "./a2a-scope.ts";
import { callerCheck } from "./caller-check.ts";
import { loadCardSigner } from "./card-signer.ts";
import { guardedHandler } from "./guarded-handler.ts";
import { handlePushDue } from "./push-sender.ts";
import { RequestHandler } from "./request-handler.ts";
import { servedAgents } from "./served-agents.ts";
import { TaskWatch } from "./task-watch.ts";

export interface A2aParts {
  readonly config: Pick<Config, "agents" | "a2a">;
  readonly backbone: Backbone;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publicUrl: string;
  readonly newId: () => string;
  readonly checkpoint?: Checkpoint;
}

export interface RunningA2a {
  addRoutes(app: FastifyInstance): Promise<void>;
  stop(): Promise<void>;
}

const NOTIFICATIONS_AT_ONCE = 32;

/** The protocol's server: takes what callers send, and tells their webhooks. */
export const startA2a = async (parts: A2aParts): Promise<RunningA2a> => {
  const { config, backbone, clock, logger, publicUrl, newId, checkpoint = noCheckpoint } = parts;
  const { bus, store } = backbone;
  const { callers, pushAllow } = config.a2a;
  const watch = new TaskWatch({ backbone, clock });
  const signer = await loadCardSigner(store, publicUrl);
  const guarded = createGuardedFetch({ allow: pushAllow });
  const consumers: Consumer[] = [];
  const agents = servedAgents(config);
  for (const { tenant, name: agent } of agents) {
    await watch.listenTo({ tenant, agent });
    const options = { durable: "a2a-push", concurrency: NOTIFICATIONS_AT_ONCE };
    const pushing = { bus, store, logger, checkpoint, fetch: guarded.fetch };
    consumers.push(
      await bus.consume(subjectsOf(tenant).a2aPush(agent), options, (due, received) =>
        handlePushDue(pushing, due, received),
      ),
    );
  }
  const served = agents.map((agent) => ({
    agent: agent.name,
    handler: guardedHandler(
      new RequestHandler({ bus, store, clock, checkpoint, watch, signer, publicUrl, pushAllow, newId }, agent),
      logger,
    ),
  }));
  return {
    addRoutes: (app) => a2aScope(app, served, callerCheck(callers), { clock, logger, keys: signer.keys }),
    async stop() {
      watch.close();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await guarded.close();
    },
  };
};
