import { AppError } from "../contract/app-error.ts";
import { cutAtGraphemes } from "../lib/index.ts";
import { privateConversationOf } from "../people/index.ts";
import {
  cancelSchedule,
  describeSchedule,
  findSchedule,
  needOf,
  openSchedules,
  resumeSchedule,
  runNow,
  type Schedule,
  type ScheduleViewer,
} from "../schedules/index.ts";
import type { Command, CommandAnswer, CommandCall } from "./command.ts";

export const schedules: Command = {
  name: "schedules",
  needs: "talk",
  menu: {
    description: "List, run, cancel or resume your schedules",
    argument: { name: "details", description: "run, cancel or resume, and the id" },
  },
  usage: "schedules [run|cancel|resume <id>]",
  summary: "list your schedules, run one now, cancel or resume it",
  privately: true,
  run: (call) => (call.args === "" ? list(call) : change(call)),
};

/** Only the caller reads the answer, so a shared conversation counts like their private one. */
const viewerOf = async ({ deps: { store }, message, record }: CommandCall): Promise<ScheduleViewer> => {
  const { tenant, agent, account, conversation: asked } = message;
  const address = { tenant, channel: asked.channel, accountId: account.id };
  const own = asked.kind === "shared" ? await privateConversationOf(store, address) : undefined;
  const audience = own === undefined ? record.audience : { ...record.audience, conversation: own };
  return { tenant, agent, asker: record.asker, audience };
};

const list = async (call: CommandCall): Promise<CommandAnswer> => {
  const found = await openSchedules(call.deps, await viewerOf(call));
  if (found.length === 0)
    return { markdown: 'You have no schedules yet. Just ask me, for example: "every weekday at 9, send me the news".' };
  const now = call.deps.clock.now();
  return {
    markdown: ["Your schedules:", ...found.map((schedule) => `- ${describeSchedule(schedule, now)}`)].join("\n"),
    actions: found.slice(0, MAX_BUTTONS).map(actionFor),
  };
};

/** More than platforms show in one message. */
const MAX_BUTTONS = 10;

const actionFor = ({ id, description, status }: Schedule) => {
  const verb = status === "paused" ? "resume" : "cancel";
  const label = `${verb === "resume" ? "Resume" : "Cancel"} “${cutAtGraphemes(description, 40)}”`;
  return { name: "schedules", label, value: `${verb} ${id}` };
};

/** Errors that the caller sees as an answer. */
const SHOWN_ERRORS: readonly AppError["code"][] = ["not-found", "bad-input", "forbidden"];

const change = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const [verb = "", id = ""] = call.args.split(/\s+/);
  if (!/^(?:run|cancel|resume)$/i.test(verb) || id === "") {
    return {
      markdown:
        "`/schedules` lists your schedules. To change one: `/schedules run <id>`, `/schedules cancel <id>` or `/schedules resume <id>`.",
    };
  }
  try {
    const schedule = await findSchedule(deps, await viewerOf(call), id);
    const name = `"${schedule.description}"`;
    const { causes } = call.record.asker;
    switch (verb.toLowerCase()) {
      case "run":
        call.permit.ensure(needOf(schedule.when));
        await runNow(deps, schedule, message.id);
        return { markdown: `I am running ${name} now.` };
      case "resume":
        call.permit.ensure(needOf(schedule.when));
        await resumeSchedule(deps, schedule, { ...schedule.asker, ...(causes && { causes }) });
        return { markdown: `${name} is active again.` };
      default:
        await cancelSchedule(deps, schedule);
        return { markdown: `${name} is cancelled.` };
    }
  } catch (error) {
    if (!(error instanceof AppError) || !SHOWN_ERRORS.includes(error.code)) throw error;
    return { markdown: error.message };
  }
};
