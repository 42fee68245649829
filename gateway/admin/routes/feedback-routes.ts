import type { FastifyInstance } from "fastify";
import { type Feedback, feedbackDays, feedbackOfDay } from "../../../core/commands/index.ts";
import { keyParts } from "../../../core/contract/ports/store.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import { type AdminDeps, adminRoute, checked, operatorOf } from "../admin-request.ts";
import { sumsOverTime } from "../hour-sums.ts";
import { managedAgents, managedChannel, managedTenant } from "../managed-resources.ts";
import { refOf, timelinePage } from "../page.ts";

/** Ratings of answers with the comments that people wrote to the operators; no text of the conversation (R4). */
export const feedbackRoutes = (scope: FastifyInstance, { config, store, clock }: AdminDeps): void => {
  adminRoute(scope, "GET feedback", async (request) => {
    const { tenant, rating, agent, channel, ...page } = checked(requests["GET feedback"], request.query);
    const operator = operatorOf(request);
    const own = operator.role === "org_admin" ? operator.tenant : undefined;
    const chosen = tenant === undefined ? own : managedTenant(config, request, tenant);
    if (agent !== undefined) managedAgents(config, request, agent);
    if (channel !== undefined) managedChannel(config, request, channel);
    const isWanted = (feedback: Feedback): boolean =>
      !feedback.withdrawn &&
      (rating === undefined || feedback.rating === rating) &&
      (agent === undefined || feedback.agent === agent) &&
      (channel === undefined || feedback.author.channel === channel);
    const read = async (day: string) => {
      const entries: { key: string; value: Feedback }[] = [];
      for await (const { key, value } of store.list(feedbackOfDay(day, chosen)))
        entries.push({ key: keyParts(key).at(-1) ?? "", value });
      return entries.sort((one, other) => (one.key < other.key ? -1 : 1));
    };
    return timelinePage({ buckets: feedbackDays(clock.now()), read }, page, (feedback) =>
      isWanted(feedback) ? shown(feedback) : undefined,
    );
  });

  adminRoute(scope, "GET feedback/counts", async (request) => {
    const { range, tenant, agent } = checked(requests["GET feedback/counts"], request.query);
    if (tenant !== undefined) managedTenant(config, request, tenant);
    const agents = managedAgents(config, request, agent)
      .filter((each) => tenant === undefined || each.tenant === tenant)
      .map((each) => each.agent);
    const { times, total } = await sumsOverTime({ store, clock }, range, { agents, channels: [] });
    const countsOf = (sums: typeof total) => ({
      // A rating that was taken back in a later hour makes that hour negative.
      up: Math.max(0, sums.of("feedback-up")),
      down: Math.max(0, sums.of("feedback-down")),
    });
    return { range, times: times.map(({ at, sums }) => ({ at, ...countsOf(sums) })), total: countsOf(total) };
  });
};

type Shown = AnswerTo<"GET feedback">["items"][number];

const shown = ({ id, tenant, agent, author, replyId, sessionId, rating, comment, at }: Feedback): Shown => ({
  ref: refOf(tenant, id),
  tenant,
  agent,
  author: { channel: author.channel, accountId: author.accountId, name: author.name },
  replyId,
  ...(sessionId !== undefined && { sessionId }),
  rating,
  ...(comment !== undefined && { comment }),
  at,
});
