import type { FastifyInstance } from "fastify";
import type { RateShare } from "../../adapters/contract/rate-limit.ts";
import type { Config } from "../../config/index.ts";
import { agentAddress, loadIdentity } from "../../core/a2a/index.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import {
  alwaysWritable,
  type Backbone,
  refuseIfUnwritable,
  type WriteAvailability,
} from "../../core/contract/ports/backbone.ts";
import type { Consumer } from "../../core/contract/ports/bus.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { type Checkpoint, noCheckpoint, silentMeter, type Tracer } from "../../core/contract/ports/telemetry.ts";
import { createGuardedFetch } from "../../core/net/index.ts";
import { SignInGuard } from "../http/index.ts";
import { Backpressure } from "../relay/index.ts";
import { derived } from "../reload/index.ts";
import { loadCardSigner } from "./agent-card.ts";
import { callerCheck, servedAgents } from "./caller-check.ts";
import { a2aScope, type OpenAgent } from "./http/scope.ts";
import { guardedHandler } from "./protocol-error.ts";
import { RequestHandler } from "./request-handler.ts";
import { handlePushDue } from "./tasks/push-sender.ts";
import { TaskWatch } from "./tasks/task-watch.ts";

export interface A2aDeps {
  readonly config: Pick<Config, "agents" | "a2a" | "gateway">;
  readonly backbone: Backbone;
  /** Without it, writes are assumed to work. */
  readonly writes?: WriteAvailability;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publicUrl: string;
  readonly newId: () => string;
  readonly checkpoint?: Checkpoint;
  readonly tracer?: Tracer | undefined;
  /** Shared with the other authenticated routes of the gateway. */
  readonly signIns?: SignInGuard;
  /** Joins the rate limits of callers with other gateways; absent: this one counts alone. */
  readonly callerRates?: RateShare | undefined;
}

export interface RunningA2a {
  addRoutes(app: FastifyInstance): Promise<void>;
  stop(): Promise<void>;
}

const NOTIFICATIONS_AT_ONCE = 32;

/** Starts the protocol's server: accepts calls and notifies webhooks. */
export const startA2a = async (deps: A2aDeps): Promise<RunningA2a> => {
  const { config, backbone, clock, logger, publicUrl, newId, checkpoint = noCheckpoint, tracer } = deps;
  const { writes = alwaysWritable } = deps;
  const { signIns = new SignInGuard({ clock, logger, meter: silentMeter }) } = deps;
  const { bus, store } = backbone;
  const { pushAllow } = config.a2a;
  const checkOfCallers = derived(() => config.a2a.callers, callerCheck);
  const watch = new TaskWatch({ backbone, clock });
  const identity = await loadIdentity(store, () => config.a2a);
  const signer = await loadCardSigner(store, publicUrl);
  const guarded = createGuardedFetch({ allow: pushAllow });
  const { waitingMessages: maxWaiting } = config.gateway.limits;
  const consumers: Consumer[] = [];
  const pressures: Backpressure[] = [];
  const served: OpenAgent[] = [];
  for (const servedAgent of servedAgents(config)) {
    const { tenant, name: agent } = servedAgent;
    const pressure = new Backpressure({ bus, clock, tenant, agent, maxWaiting });
    await pressure.start();
    pressures.push(pressure);
    await watch.listenTo({ tenant, agent });
    const options = { durable: "a2a-push", concurrency: NOTIFICATIONS_AT_ONCE };
    const pushing = { bus, store, logger, checkpoint, tracer, identity, fetch: guarded.fetch };
    consumers.push(
      await bus.consume(subjectsOf(tenant).a2aPush(agent), options, (due, received) =>
        handlePushDue(pushing, due, received),
      ),
    );
    const address = agentAddress(identity, config.gateway.publicUrl, agent);
    const handling = {
      bus,
      store,
      writes,
      clock,
      checkpoint,
      watch,
      signer,
      identity,
      address,
      publicUrl,
      pushAllow,
      newId,
    };
    const handler = guardedHandler(new RequestHandler(handling, servedAgent), logger);
    const refuseIfUnable = () => {
      refuseIfUnwritable(writes);
      pressure.refuseIfOverloaded();
    };
    served.push({ agent, tenant, handler, refuseIfUnable });
  }
  return {
    addRoutes: (app) =>
      a2aScope(app, served, (headers) => checkOfCallers()(headers), {
        clock,
        logger,
        keys: signer.keys,
        signIns,
        callerRates: deps.callerRates,
      }),
    async stop() {
      watch.close();
      for (const pressure of pressures) pressure.stop();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await guarded.close();
    },
  };
};
