import type { Scenario } from "./scenario.ts";
import { a2aCalls } from "./scenarios/a2a-calls.ts";
import { answers } from "./scenarios/answers.ts";
import { atRest } from "./scenarios/at-rest.ts";
import { busLatency, busThroughput } from "./scenarios/bus.ts";
import { busMemory } from "./scenarios/bus-memory.ts";
import { delegation, delegationMemory } from "./scenarios/delegation.ts";
import { growth } from "./scenarios/growth.ts";

import { messageReply } from "./scenarios/message-reply.ts";
import { overload } from "./scenarios/overload.ts";
import { schedules } from "./scenarios/schedules.ts";
import { slackEvents, slackMemory } from "./scenarios/slack-events.ts";
import { socketBroadcast } from "./scenarios/socket-broadcast.ts";
import { socketMemory } from "./scenarios/socket-memory.ts";
import { socketResume } from "./scenarios/socket-resume.ts";
import { socketRoundTrip } from "./scenarios/socket-round-trip.ts";
import { start, startWithServers } from "./scenarios/start.ts";
import { storeThroughput } from "./scenarios/store.ts";
import { teamsActivities } from "./scenarios/teams-activities.ts";
import { toolCalls } from "./scenarios/tool-calls.ts";

/** All measurements of `npm run bench`, in the order of the output. */
export const scenarios: readonly Scenario[] = [
  busThroughput,
  busLatency,
  storeThroughput,
  messageReply,
  ...toolCalls,
  delegation,
  delegationMemory,
  schedules,
  socketRoundTrip,
  socketBroadcast,
  socketMemory,
  socketResume,
  start,
  startWithServers,
  atRest,
  growth,
  overload,
  ...answers,
  slackEvents,
  teamsActivities,
  a2aCalls,
  busMemory,
  slackMemory,
];
