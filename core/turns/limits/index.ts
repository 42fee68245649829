export {
  AMENDMENT_SLACK_MS,
  ceilingMs,
  DelegationConfig,
  defaultDelegation,
  defaultPeering,
  maxDepth,
  PeeringConfig,
} from "./agent-limits.ts";
