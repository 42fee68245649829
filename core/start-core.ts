import { AgentConnections, startAgentTasks } from "./a2a/agent-model/index.ts";
import { InboundTurns, startInbound } from "./a2a/inbound/index.ts";
import {
  type ConfiguredTenants,
  delegatedCalls,
  type IdentityKeys,
  loadIdentity,
  PeerDirectory,
  RemoteAgents,
  startPeers,
  TenantSettings,
} from "./a2a/index.ts";
import { type AgentOptions, agentFrom, distinct, modelOf } from "./agent-options.ts";
import { agentTools, subagentTools } from "./agent-tools.ts";
import { AskingAgents, requestApprovals, startApprovals, withHeldCalls } from "./approvals/index.ts";
import { BudgetService } from "./budgets/index.ts";
import type { AgentRef } from "./contract/messages/addresses.ts";
import type { Backbone } from "./contract/ports/backbone.ts";
import type { Consumer } from "./contract/ports/bus.ts";
import type { Clock } from "./contract/ports/clock.ts";
import type { Logger } from "./contract/ports/logger.ts";
import type { Moderator } from "./contract/ports/moderator.ts";
import {
  type Checkpoint,
  type Meter,
  noCheckpoint,
  type ToolCallLog,
  type Tracer,
} from "./contract/ports/telemetry.ts";
import type { Tool } from "./contract/tool.ts";
import { publishBudgetNotice } from "./delivery/index.ts";
import { AwaitedFiles, startIntake } from "./intake/index.ts";
import { AskerCache, type DeclaredPerson, declarePeople, LastSeen } from "./people/index.ts";
import { BlockedAccounts } from "./rights/index.ts";
import { DueIndex, startSchedules } from "./schedules/index.ts";
import { SessionFinder, SessionHistory } from "./sessions/index.ts";
import { delegationDeps, startDelegation, ToolActivity } from "./subtasks/index.ts";
import { type AgentTools, joinSources, openTools } from "./tools/index.ts";
import { turnFeatures } from "./turn-features.ts";
import { type Agent, BackgroundWork, RunningTurns, TurnYielded } from "./turns/index.ts";
import { defaultDelegation, defaultPeering } from "./turns/limits/index.ts";
import { Workspaces } from "./workspaces/index.ts";

export type { AgentOptions } from "./agent-options.ts";

export interface CoreOptions {
  readonly backbone: Backbone;
  readonly agents: readonly AgentOptions[];
  /** People whose accounts the configuration declares. */
  readonly people?: readonly DeclaredPerson[];
  readonly tenants?: ConfiguredTenants;
  /** Remote agents that ours may call. */
  readonly remote?: Omit<ConstructorParameters<typeof RemoteAgents>[0], "clock" | "identity"> & IdentityKeys;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
  readonly toolCalls?: ToolCallLog | undefined;
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

/** Resolves once messages are consumed. */
export const startCore = async (options: CoreOptions): Promise<Core> => {
  const { clock, logger, meter, checkpoint = noCheckpoint, concurrency = DEFAULT_CONCURRENCY } = options;
  const { bus, store } = options.backbone;
  const stopping = new AbortController();
  const delegation = delegationDeps(
    { bus, store, clock, logger, withoutModelText: options.moderator?.checksAnswers === true },
    withHeldCalls(delegatedCalls(store)),
  );
  const history = new SessionHistory(store);
  const identity = await loadIdentity(store, () => options.remote ?? {});
  const remoteAgents = new RemoteAgents({ peers: [], ...options.remote, clock, identity });
  const { publicUrl } = options.remote ?? {};
  const agentConnections = new AgentConnections({
    bus,
    store,
    clock,
    logger,
    checkpoint,
    tracer: options.tracer,
    identity,
    publicUrl,
  });
  const budgets = new BudgetService({ store, clock, logger, meter, notify: publishBudgetNotice(bus) });
  const toolProgress = new ToolActivity({ bus, clock, logger, isSilent: options.moderator?.checksAnswers === true });
  const ports = {
    bus,
    store,
    clock,
    logger,
    meter,
    tracer: options.tracer,
    toolCalls: options.toolCalls,
    moderator: options.moderator,
    toolProgress,
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
    awaitedFiles: new AwaitedFiles({ bus, store, clock }),
    stopping: stopping.signal,
    directory: new PeerDirectory(options.agents, remoteAgents.peers),
    settings: new TenantSettings({ store, clock }, options.tenants),
    remoteAgents,
    agentConnections,
    turnDeadlineMs: options.turnDeadlineMs ?? DEFAULT_TURN_DEADLINE_MS,
    maxWindowEntries: options.maxWindowEntries ?? DEFAULT_WINDOW_ENTRIES,
    asking: new AskingAgents(),
  };
  const deps = { ...ports, approvals: requestApprovals(ports) };
  const intake = { ...deps, features: turnFeatures(deps) };
  await deps.blocked.start(options.agents.map(({ tenant }) => tenant));
  for (const tenant of new Set(options.agents.map(({ tenant }) => tenant))) {
    const declared = (options.people ?? []).filter((person) => person.tenant === tenant);
    await declarePeople(store, tenant, declared, clock.now());
  }
  const configuredTools: AgentTools[] = [];
  const agents: { agent: Agent; agentOptions: AgentOptions; ref: AgentRef }[] = [];
  for (const agentOptions of options.agents) {
    const { delegation = defaultDelegation, peering = defaultPeering, memory, toolSettings } = agentOptions;
    const { defaultsOn = () => ({}) } = agentOptions;
    const ref = { tenant: agentOptions.tenant, agent: agentOptions.name };
    const modelDeps = agentConnections.modelDepsOf(ref);
    const model = modelOf(agentOptions.model, modelDeps);
    const subtaskModels = new Map(
      Object.entries(agentOptions.subtaskModels ?? {}).map(([name, each]) => [name, modelOf(each, modelDeps)]),
    );
    // An agent elsewhere has its own tools.
    const ownTools = model.isAgent
      ? []
      : agentTools(deps, agentOptions, { delegation, peering, subtaskModels, memory, defaultsOn }, options.tools);
    const tools = distinct(ownTools);
    const builtIn = tools.map(({ name }) => name);
    const settings = model.isAgent ? undefined : toolSettings;
    const configured = settings && (await openTools(deps, agentOptions.name, settings, builtIn));
    if (configured) configuredTools.push(configured);
    const agent = {
      ...agentFrom({ ...agentOptions, toolSource: joinSources([configured, agentOptions.toolSource]) }, model, tools),
      subtaskModels,
      budgets: budgets.add(ref, { rights: agentOptions.rights, ...agentOptions.budgets }),
    };
    // Before any consumer starts: a press at one agent may decide about a call of another one.
    deps.asking.add(agent, agentOptions);
    agents.push({ agent, agentOptions, ref });
  }
  const consumers: Consumer[] = [];
  for (const { agent, agentOptions, ref } of agents) {
    await deps.turns.listenTo(agent);
    await deps.awaitedFiles.listenTo(ref);
    consumers.push(
      await startIntake(intake, agent, concurrency),
      ...(await startDelegation({ ...deps, ownTools: subagentTools(deps, agent) }, agent)),
      ...(await startPeers(deps, agent)),
      ...(await startApprovals(deps, agent)),
      await startAgentTasks(deps, agent),
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
      deps.awaitedFiles.close();
      deps.inbound.close();
      deps.blocked.stop();
      await deps.activity.stop();
      toolProgress.stop();
      await deps.background.stop();
      await budgets.stop();
      await remoteAgents.close();
      await agentConnections.close();
      await Promise.all(configuredTools.map((tools) => tools.close()));
    },
  };
};
