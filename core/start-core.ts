import { type InboundOptions, InboundTurns, startInbound } from "./a2a/inbound/index.ts";
import {
  type ConfiguredTenants,
  delegatedCalls,
  loadIdentity,
  PeerDirectory,
  RemoteAgents,
  startPeers,
  TenantSettings,
} from "./a2a/index.ts";
import { agentTools, subagentTools } from "./agent-tools.ts";
import { type BudgetRules, BudgetService } from "./budgets/index.ts";
import { AppError } from "./contract/app-error.ts";
import type { DeliveryDefaults } from "./contract/messages/delivery-policy.ts";
import type { Backbone } from "./contract/ports/backbone.ts";
import type { Consumer } from "./contract/ports/bus.ts";
import type { Clock } from "./contract/ports/clock.ts";
import type { Logger } from "./contract/ports/logger.ts";
import type { Moderator } from "./contract/ports/moderator.ts";
import { type Checkpoint, type Meter, noCheckpoint, type Tracer } from "./contract/ports/telemetry.ts";
import type { Secret } from "./contract/secret.ts";
import type { Tool } from "./contract/tool.ts";
import { publishBudgetNotice } from "./delivery/index.ts";
import { startIntake } from "./intake/index.ts";
import type { AgentModel } from "./model/index.ts";
import { BlockedAccounts } from "./people/abuse/index.ts";
import { AskerCache, type DeclaredPerson, declarePeople, LastSeen } from "./people/index.ts";
import { Rights } from "./rights/index.ts";
import { DueIndex, type ScheduleOptions, startSchedules } from "./schedules/index.ts";
import { SessionFinder, SessionHistory } from "./sessions/index.ts";
import { delegationDeps, startDelegation } from "./subtasks/index.ts";
import { turnFeatures } from "./turn-features.ts";
import { type Agent, BackgroundWork, RunningTurns, TurnYielded } from "./turns/index.ts";
import { type DelegationConfig, defaultDelegation, defaultPeering, type PeeringConfig } from "./turns/limits/index.ts";
import { type WorkspaceOptions, Workspaces } from "./workspaces/index.ts";

export interface AgentOptions extends ScheduleOptions {
  readonly name: string;
  readonly tenant: string;
  readonly model: AgentModel;
  readonly directives?: string | undefined;
  readonly maxToolRounds?: number | undefined;
  readonly contextTokens?: number | undefined;
  readonly maxTurnsPerPerson?: number | undefined;
  readonly delegation?: DelegationConfig | undefined;
  /** Absent: the default rights. */
  readonly rights?: Rights | undefined;
  readonly pauseSchedulesAfterDays?: number | undefined;
  /** Limits of what its work may cost; absent: none. */
  readonly budgets?: BudgetRules | undefined;
  /** The repository that its subtasks work on, each in its own worktree. */
  readonly workspace?: WorkspaceOptions | undefined;
  /** Agents that it may call; agents of this deployment must list it too. */
  readonly peers?: readonly string[] | undefined;
  readonly peering?: PeeringConfig | undefined;
  /** The agent's description for other agents. */
  readonly description?: string | undefined;
  /** The operator's settings for proactive messages, by channel. */
  readonly defaultsOn?: ((channel: string) => DeliveryDefaults) | undefined;
  /** Present if other agents may call it. */
  readonly inbound?: InboundOptions | undefined;
}

export interface CoreOptions {
  readonly backbone: Backbone;
  readonly agents: readonly AgentOptions[];
  /** People whose accounts the configuration declares. */
  readonly people?: readonly DeclaredPerson[];
  readonly tenants?: ConfiguredTenants;
  /** Remote agents that ours may call. */
  readonly remote?: Omit<ConstructorParameters<typeof RemoteAgents>[0], "clock" | "identity"> & {
    readonly webhookKey?: Secret | undefined;
  };
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
  /** Absent: messages and answers are not checked. */
  readonly moderator?: Moderator | undefined;
  readonly checkpoint?: Checkpoint;
  /** Concurrent turns of one agent in this process. */
  readonly concurrency?: number;
  readonly turnDeadlineMs?: number;
  /** How long stop() waits for running turns before other processes take them over. */
  readonly stopGraceMs?: number;
  /** Turns that a session keeps in full. */
  readonly maxWindowEntries?: number;
}

export interface Core {
  /** Stops intake, waits for running turns within the grace time, and leaves the others to other processes. */
  stop(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 128;
const DEFAULT_TURN_DEADLINE_MS = 15 * 60_000;
const DEFAULT_STOP_GRACE_MS = 10_000;
const DEFAULT_WINDOW_ENTRIES = 40;
const DEFAULT_TOOL_ROUNDS = 8;
const DEFAULT_TURNS_PER_PERSON = 5;
const DEFAULT_PAUSE_DAYS = 30;
const DEFAULT_CONTEXT_TOKENS = 128_000;

/** Resolves once messages are consumed. */
export const startCore = async (options: CoreOptions): Promise<Core> => {
  const { clock, logger, meter, checkpoint = noCheckpoint, concurrency = DEFAULT_CONCURRENCY } = options;
  const { bus, store } = options.backbone;
  const stopping = new AbortController();
  const delegation = delegationDeps(
    { bus, store, clock, logger, withoutModelText: options.moderator?.checksAnswers === true },
    delegatedCalls(store),
  );
  const history = new SessionHistory(store);
  const identity = await loadIdentity(store, options.remote?.webhookKey);
  const remoteAgents = new RemoteAgents({ peers: [], ...options.remote, clock, identity });
  const budgets = new BudgetService({ store, clock, logger, meter, notify: publishBudgetNotice(bus) });
  const deps = {
    bus,
    store,
    clock,
    logger,
    meter,
    tracer: options.tracer,
    moderator: options.moderator,
    checkpoint,
    ...delegation,
    history,
    budgets,
    dueTimes: new DueIndex({ bus, store }),
    workspaces: new Map(
      options.agents.flatMap(({ name, workspace }) => (workspace ? [[name, new Workspaces(workspace)] as const] : [])),
    ),
    sessions: new SessionFinder(store, history),
    askers: new AskerCache(),
    lastSeen: new LastSeen({ store, clock }),
    blocked: new BlockedAccounts({ bus, store, clock, logger }),
    background: new BackgroundWork(logger),
    turns: new RunningTurns({ bus, clock }),
    inbound: new InboundTurns({ bus, store, clock, logger }),
    stopping: stopping.signal,
    directory: new PeerDirectory(options.agents, remoteAgents.peers),
    settings: new TenantSettings({ store, clock }, options.tenants),
    remoteAgents,
    turnDeadlineMs: options.turnDeadlineMs ?? DEFAULT_TURN_DEADLINE_MS,
    maxWindowEntries: options.maxWindowEntries ?? DEFAULT_WINDOW_ENTRIES,
  };
  const intake = { ...deps, features: turnFeatures(deps) };
  await deps.blocked.start(options.agents.map(({ tenant }) => tenant));
  for (const tenant of new Set(options.agents.map(({ tenant }) => tenant))) {
    const declared = (options.people ?? []).filter((person) => person.tenant === tenant);
    await declarePeople(store, tenant, declared, clock.now());
  }
  const consumers: Consumer[] = [];
  for (const agentOptions of options.agents) {
    const { delegation = defaultDelegation, peering = defaultPeering } = agentOptions;
    const ref = { tenant: agentOptions.tenant, agent: agentOptions.name };
    const agent = {
      ...agentFrom(agentOptions, distinct(agentTools(deps, agentOptions, { delegation, peering }, options.tools))),
      budgets: budgets.add(ref, { rights: agentOptions.rights, ...agentOptions.budgets }),
    };
    await deps.turns.listenTo(agent);
    consumers.push(
      await startIntake(intake, agent, concurrency),
      ...(await startDelegation({ ...deps, ownTools: subagentTools(deps, agent) }, agent)),
      ...(await startPeers(deps, agent)),
      await startSchedules(deps, agent, agentOptions),
    );
    if (agentOptions.inbound) {
      consumers.push(...(await startInbound(deps, ref, agentOptions.inbound)));
    }
  }
  return {
    async stop() {
      const timer = clock.after(options.stopGraceMs ?? DEFAULT_STOP_GRACE_MS, () =>
        stopping.abort(new TurnYielded("this process is stopping")),
      );
      await Promise.all(consumers.map((consumer) => consumer.close()));
      timer.cancel();
      deps.events.close();
      deps.callEvents.close();
      deps.turns.close();
      deps.inbound.close();
      deps.blocked.stop();
      await deps.activity.stop();
      await deps.background.stop();
      await budgets.stop();
      await remoteAgents.close();
    },
  };
};

const distinct = (tools: readonly Tool[]): readonly Tool[] => {
  const duplicate = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) !== index);
  if (duplicate === undefined) return tools;
  throw new AppError("bad-configuration", `two tools are named "${duplicate.name}"; rename one of them`);
};

const agentFrom = (
  {
    maxToolRounds = DEFAULT_TOOL_ROUNDS,
    contextTokens = DEFAULT_CONTEXT_TOKENS,
    maxTurnsPerPerson = DEFAULT_TURNS_PER_PERSON,
    name,
    tenant,
    model,
    directives,
    delegation = defaultDelegation,
    peering = defaultPeering,
    rights = new Rights(),
    pauseSchedulesAfterDays = DEFAULT_PAUSE_DAYS,
    defaultsOn = () => ({}),
  }: AgentOptions,
  tools: readonly Tool[],
): Agent => ({
  name,
  tenant,
  model,
  directives,
  maxToolRounds,
  contextTokens,
  maxTurnsPerPerson,
  delegation,
  peering,
  rights,
  pauseSchedulesAfterDays,
  defaultsOn,
  tools,
});
