import type { SessionHistory } from "../../sessions/index.ts";
import type { CoreParts, TurnRequester } from "../../turns/index.ts";
import { backfillHistory } from "./backfill-history.ts";
import { callerAside } from "./caller-aside.ts";
import { withCallerTools } from "./caller-tools.ts";
import { endInboundTurn } from "./end-inbound-turn.ts";
import type { InboundTurns } from "./inbound-turns.ts";
import { taskOfMessage, taskOfTurn } from "./task-of-turn.ts";

interface Deps extends CoreParts {
  readonly history: SessionHistory;
  readonly inbound: InboundTurns;
}

/** An agent elsewhere that has called by the protocol: the turn's result ends its task. */
export const inboundRequester = (deps: Deps): TurnRequester => ({
  isFor: (message) => taskOfMessage(message) !== undefined,
  agentFor: (agent) => withCallerTools(deps, agent),
  stateOf: (message, seenBefore) => deps.inbound.stateOf(message, seenBefore),
  backfill: (message, text, turn) => backfillHistory(deps, message, text, turn),
  aside: callerAside,
  streamId: ({ tenant, name: agent }, record) => taskOfTurn({ tenant, agent }, record)?.id,
  begin: (message, stop) => deps.inbound.begin(message, stop),
  // One round trip less, and one commit where writes are kept in order.
  settlesAlongside: true,
  settle: (_, message, result, state) => endInboundTurn(deps, message, result, state === "new"),
});
