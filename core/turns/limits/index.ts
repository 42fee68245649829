export {
  AMENDMENT_SLACK_MS,
  ceilingMs,
  DelegationConfig,
  deepest,
  defaultDelegation,
  defaultPeering,
  PeeringConfig,
} from "./agent-limits.ts";
