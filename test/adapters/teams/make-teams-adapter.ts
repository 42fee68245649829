import { randomUUID } from "node:crypto";
import type { AdapterContext } from "../../../adapters/contract/adapter-context.ts";
import { TeamsAdapter } from "../../../adapters/teams/adapter.ts";
import { TeamsConfig } from "../../../adapters/teams/config.ts";
import { alwaysWritable } from "../../../core/contract/ports/backbone.ts";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { silentMeter } from "../../../core/contract/ports/telemetry.ts";
import type { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { MemoryStore } from "../web/memory-store.ts";

/** Timeouts are a quarter of the real ones, because tests also wait for a stop that times out. */
export const briskClock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 4, callback) };

export const makeTeamsAdapter = (
  teams: FakeTeams,
  context: Partial<AdapterContext> = {},
  config: Readonly<Record<string, unknown>> = {},
): TeamsAdapter =>
  new TeamsAdapter(TeamsConfig.parse({ ...teams.config, ...config }), {
    channel: "teams",
    tenant: "default",
    agent: "mooring",
    publicUrl: "https://chat.example",
    store: new MemoryStore(systemClock),
    signal: () => undefined,
    writes: alwaysWritable,
    commands: [],
    sessionOf: async () => "s-1",
    clock: briskClock,
    logger: silentLogger,
    meter: silentMeter,
    newId: randomUUID,
    ...context,
  });
