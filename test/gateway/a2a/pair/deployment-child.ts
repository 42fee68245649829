import { randomUUID } from "node:crypto";
import { WebAdapter } from "../../../../adapters/web/adapter.ts";
import { WebConfig } from "../../../../adapters/web/config.ts";
import { Config } from "../../../../config/schema/config.ts";
import { type Clock, systemClock as clock } from "../../../../core/contract/ports/clock.ts";
import { silentLogger as logger } from "../../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../../core/contract/ports/telemetry.ts";
import { peerEventRoute } from "../../../../gateway/a2a/http/peer-event-route.ts";
import { startA2a } from "../../../../gateway/a2a/start-a2a.ts";
import { adapterContext, relayContext } from "../../../../gateway/channel-contexts.ts";
import { openHttpListener } from "../../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../../gateway/http/readiness.ts";
import { createServer } from "../../../../gateway/http/server.ts";
import { publicUrl } from "../../../../gateway/public-url.ts";
import { runChannel } from "../../../../gateway/relay/run-channel.ts";
import { RunningAgents } from "../../../../gateway/start-agents.ts";
import { createMetrics } from "../../../../gateway/telemetry/create-metrics.ts";
import { openBackbone } from "../../../core/crashes/backbone-data.ts";
import type { DeploymentOrder, FromDeployment, ToDeployment } from "./deployment-process.ts";

/** Gateway with the web channel and protocol server, core, or both, in a process that crashes at the ordered checkpoint. */
const { data, config: given, roles }: DeploymentOrder = JSON.parse(process.argv[2] ?? "");
const config = Config.parse(given);
const say = (message: FromDeployment): void => {
  process.send?.(message);
};

/** Short retry delays. */
const fastClock: Clock = { ...clock, after: (ms, callback) => clock.after(ms / 20, callback) };

let crash: { at: string; nth: number } | undefined;
const checkpoint = async (name: string): Promise<void> => {
  if (crash?.at !== name || --crash.nth > 0) return;
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
};

const backbone = await openBackbone(data, fastClock);
const readiness = createReadiness();
const listener = await openHttpListener(
  roles.includes("gateway") ? config.gateway : { ...config.gateway, port: 0 },
  readiness,
);
const deps = { backbone, clock, logger, meter, checkpoint, newId: randomUUID };

const startGateway = async (): Promise<void> => {
  const agent = config.agents[0]?.name ?? "";
  const open = { ...deps, publicUrl: publicUrl({ ...config.gateway, port: listener.port }) };
  const web = { ...open, channel: "web", tenant: "default", agent };
  const adapter = new WebAdapter(WebConfig.parse({ adapter: "web" }), adapterContext(web));
  await runChannel(relayContext(web, { adapter }), adapter, "gateway");
  const a2a = await startA2a({ ...open, config });
  const routes = [peerEventRoute(backbone), a2a.addRoutes];
  await createServer({ listener, adapters: [adapter], readiness, metrics: createMetrics(logger), logger, routes });
};

if (roles.includes("core")) await RunningAgents.start({ ...deps, config });
if (roles.includes("gateway")) await startGateway();

process.on("message", (order: ToDeployment) => {
  crash = { at: order.crashAt, nth: order.nth };
  say({ say: "armed" });
});
process.on("disconnect", () => process.exit(0));
say({ say: "ready", port: listener.port });
