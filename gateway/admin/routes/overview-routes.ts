import type { FastifyInstance } from "fastify";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import { type AdminDeps, adminRoute, checked } from "../admin-request.ts";
import { type Sums, sumsOverTime } from "../hour-sums.ts";
import { type ManagedChannel, managedAgents, managedChannels, managedTenant } from "../managed-resources.ts";

type Overview = AnswerTo<"GET overview">;

/** A platform that accepts replies later than this on average is slow. */
const SLOW_SECONDS = 5;

/** Sums of the stored counts of all processes, over the agents and channels that the operator may manage. */
export const overviewRoutes = (scope: FastifyInstance, { config, store, clock }: AdminDeps): void => {
  adminRoute(scope, "GET overview", async (request) => {
    const { range, tenant } = checked(requests["GET overview"], request.query);
    if (tenant !== undefined) managedTenant(config, request, tenant);
    const isChosen = (each: { readonly tenant: string }) => tenant === undefined || each.tenant === tenant;
    const agents = managedAgents(config, request).filter(isChosen);
    const channels = managedChannels(config, request).filter(isChosen);
    const { times, total } = await sumsOverTime({ store, clock }, range, {
      agents: agents.map(({ agent }) => agent),
      channels: channels.map(({ channel }) => channel),
    });
    const answerSeconds = total.average("turn-seconds", "turns");
    return {
      range,
      times: times.map(({ at, sums }) => ({ at, ...countsOf(sums) })),
      total: countsOf(total),
      waiting: total.of("waiting"),
      ...(answerSeconds !== undefined && { answerSeconds }),
      channels: channels.map((channel) => shownChannel(channel, total)).sort(slowestFirst),
    };
  });
};

const countsOf = (sums: Sums): Overview["total"] => ({
  messages: sums.of("messages"),
  answers: sums.of("turns-answered"),
  failures: sums.of("turns-failed"),
  undelivered: sums.of("undelivered"),
  ...(sums.has("cost") && { cost: sums.of("cost") }),
});

const shownChannel = ({ channel, tenant }: ManagedChannel, total: Sums): Overview["channels"][number] => {
  const deliverySeconds = total.average("delivery-seconds", "deliveries", channel);
  return {
    channel,
    tenant,
    messages: total.of("messages", channel),
    undelivered: total.of("undelivered", channel),
    retries: total.of("retries", channel),
    ...(deliverySeconds !== undefined && { deliverySeconds }),
    isSlow: (deliverySeconds ?? 0) > SLOW_SECONDS,
  };
};

type ShownChannel = Overview["channels"][number];

const slowestFirst = (a: ShownChannel, b: ShownChannel): number =>
  (b.deliverySeconds ?? -1) - (a.deliverySeconds ?? -1);
