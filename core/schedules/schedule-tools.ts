import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import { type Conversation, conversationKey } from "../contract/messages/conversation.ts";
import type { DeliveryDefaults } from "../contract/messages/delivery-policy.ts";
import type { Store } from "../contract/ports/store.ts";
import { timeZoneOf } from "../contract/relative-time.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { accountServed, type Destination, heldUntil } from "../delivery/index.ts";
import { stableId } from "../lib/index.ts";
import { askingAccount, findPerson, type OwnAccount } from "../people/index.ts";
import { writtenUrls } from "../turns/index.ts";
import type { NewSchedule } from "./change-schedule.ts";
import { cancelSchedule, createSchedule, MAX_DESCRIPTION_CHARS, MAX_PROMPT_CHARS } from "./change-schedule.ts";
import { describeSchedule, findSchedule, openSchedules, type ScheduleViewer } from "./own-schedules.ts";
import { runNow } from "./runs/index.ts";
import { isOpen, needOf, ownerOf, type Schedule, type ScheduleDeps, scheduleKey } from "./schedule-record.ts";
import { describeWhen, understandWhen } from "./when/index.ts";

const TaskInput = z.object({
  description: z
    .string()
    .trim()
    .min(1)
    .max(MAX_DESCRIPTION_CHARS)
    .describe('The title that people see with each result, e.g. "Morning brief".'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(MAX_PROMPT_CHARS)
    .describe("The complete task for that time: you will not see this conversation then."),
  when: z
    .string()
    .min(1)
    .max(200)
    .describe(
      'The time in the person\'s own words, in their language and unchanged: "tomorrow at 9", "übermorgen um 8", "in 20 ' +
        'minutes", "every weekday at 8". Do not convert it. Also an ISO time, a cron expression of five fields or ' +
        '"every 2 h". The shortest interval is one minute.',
    ),
  timeZone: z
    .string()
    .optional()
    .describe("An IANA name, only if the person names another zone. Default: the zone of the context."),
  deliverTo: z
    .string()
    .optional()
    .describe('"here" (the default), or the name of a channel on which this person writes to you in private.'),
  missed: z
    .enum(["once", "skip"])
    .optional()
    .describe("For a time that passed during downtime: run once afterwards (the default), or skip it."),
});
const ListInput = z.object({});
const IdInput = z.object({ id: z.string().describe("As list_schedules shows it: schedule-1a2b3c4d.") });

/** Every call is idempotent: a repeated call has the effect of the first. */
export const scheduleTools = (
  deps: ScheduleDeps,
  defaultsOn: (channel: string) => DeliveryDefaults = () => ({}),
): Tool[] => {
  const task: Tool<z.infer<typeof TaskInput>> = {
    name: "schedule_task",
    description:
      "Schedules a task for you, once or repeatedly; its result is then sent to this conversation. If the time can mean two things, nothing is scheduled and the result says what to ask the person. Tell the person which time was understood.",
    input: TaskInput,
    needs: "remind",
    repeatable: true,
    hasEffects: true,
    needsDepth: true,
    shownTexts: ({ description, prompt }) => [description, prompt],
    run: async ({ description, prompt, when, timeZone, deliverTo = "here", missed = "once" }, context) => {
      const { tenant, agent, audience, asker, delegationContext, idempotencyKey } = context;
      const now = deps.clock.now();
      const here = accountServed(context);
      const { channel, accountId } = askingAccount(audience) ?? here;
      const { sessionUri: link } = delegationContext.owner;
      const urls = await writtenUrls(prompt, context);
      const address = {
        tenant,
        agent,
        owner: ownerOf(channel, accountId),
        id: stableId("schedule", idempotencyKey).slice(0, "schedule-".length + 8),
      };
      const { localTime = { timeZone: timeZoneOf(asker), locale: asker.locale } } = context;
      // A repeated call keeps its time, which may have passed since the first one.
      const known = await deps.store.get(scheduleKey(address));
      const { when: time, note } = known
        ? { when: known.value.when, note: undefined }
        : await understandWhen(when, { now, ...localTime, ...(timeZone !== undefined && { timeZone }) });
      context.permit.ensure(needOf(time));
      const draft: NewSchedule = {
        ...address,
        description,
        prompt,
        when: time,
        missed,
        destination: await chooseTarget(deps.store, context, deliverTo),
        asker,
        madeFor: { ...audience, accountId: here.accountId },
        madeIn: "chat",
        ...(urls.length > 0 && { urls }),
        ...(link !== undefined && { link }),
      };
      await takeSchedule(deps, context, draft);
      const schedule = await createSchedule(deps, draft, now);
      const quiet = await quietNote(deps.store, schedule, { channel, accountId }, defaultsOn);
      const text = `Scheduled as ${schedule.id}: "${schedule.description}", ${describeWhen(schedule.when, now)}.`;
      return `${text}${note === undefined ? "" : ` ${note}`}${quiet}`;
    },
  };
  const list: Tool<z.infer<typeof ListInput>> = {
    name: "list_schedules",
    description: "Lists the schedules of the person you talk to, with their next times.",
    input: ListInput,
    needs: "talk",
    repeatable: true,
    run: async (_input, context) => {
      const found = await openSchedules(deps, context);
      if (found.length === 0) return "There are no schedules.";
      return found.map((schedule) => `- ${describeSchedule(schedule, deps.clock.now())}`).join("\n");
    },
  };
  const cancel: Tool<z.infer<typeof IdInput>> = {
    name: "cancel_schedule",
    description: "Cancels a schedule of the person you talk to. A run in progress continues.",
    input: IdInput,
    needs: "talk",
    repeatable: true,
    hasEffects: true,
    run: async ({ id }, context) => {
      const schedule = await findSchedule(deps, context, id);
      await cancelSchedule(deps, schedule);
      return `"${schedule.description}" (${id}) is cancelled.`;
    },
  };
  const now: Tool<z.infer<typeof IdInput>> = {
    name: "run_schedule_now",
    description: "Starts an extra run of a schedule now. Its result is sent separately.",
    input: IdInput,
    needs: "remind",
    repeatable: true,
    hasEffects: true,
    needsDepth: true,
    run: async ({ id }, context) => {
      const schedule = await findSchedule(deps, context, id);
      context.permit.ensure(needOf(schedule.when));
      await runNow(deps, schedule, context.idempotencyKey);
      return `A run of "${schedule.description}" has started.`;
    },
  };
  return [task, list, cancel, now].map((tool) => ({ ...(tool as Tool), isForPeople: true }));
};

/** A reminder for a time inside quiet hours is delivered then; the person learns it when it is made (D2). */
const quietNote = async (
  store: Store,
  { tenant, when, destination }: Schedule,
  own: OwnAccount,
  defaultsOn: (channel: string) => DeliveryDefaults,
): Promise<string> => {
  if (when.kind !== "once" || !("conversation" in destination)) return "";
  const conversation = destination.conversation as Conversation;
  const { person } = await findPerson(store, { tenant, ...own });
  const until = heldUntil(conversation, person, defaultsOn(conversation.channel), Date.parse(when.at));
  return until === undefined ? "" : QUIET_NOTE;
};

const QUIET_NOTE =
  " That time is inside the quiet hours. It is delivered at that time all the same, because the person chose it: tell them.";

/** Counts the schedule in the budgets of the work (R2). */
const takeSchedule = async ({ store }: ScheduleDeps, { budget }: ToolContext, draft: NewSchedule): Promise<void> => {
  const { tenant, agent, owner, id } = draft;
  const isStillOpen = async (name: string) => {
    const [ofAgent, ofOwner, ofId] = JSON.parse(name) as [string, string, string];
    const stored = await store.get(scheduleKey({ tenant, agent: ofAgent, owner: ofOwner, id: ofId }));
    return stored !== undefined && isOpen(stored.value);
  };
  const refusal = await budget?.open("schedules", [JSON.stringify([agent, owner, id])], isStillOpen);
  if (refusal !== undefined) throw new AppError("rate-limited", `Refused: ${refusal}.`);
};

/** Resolves and checks the target at creation (P2): here, or a channel on which the person has written in private. */
const chooseTarget = async (store: Store, viewer: ScheduleViewer, deliverTo: string): Promise<Destination> => {
  const { conversation } = viewer.audience;
  const here = accountServed(viewer);
  const own = askingAccount(viewer.audience) ?? here;
  const requested = deliverTo.trim();
  if (requested === "" || requested.toLowerCase() === "here") return { conversation, accountId: here.accountId };
  const { person } = await findPerson(store, { tenant: viewer.tenant, ...own });
  const there = person.surfaces.filter((surface) => surface.channel === requested);
  const surface = there.find(({ conversation }) => conversationKey(conversation) === person.lastActive) ?? there.at(-1);
  if (surface === undefined) {
    const known = [...new Set(["here", ...person.surfaces.map((each) => each.channel)])].join(", ");
    throw new AppError(
      "bad-input",
      `This person has not written to me in private on "${requested.slice(0, 40)}". Possible: ${known}.`,
    );
  }
  return { conversation: surface.conversation, accountId: surface.accountId };
};
