import { AppError } from "../contract/app-error.ts";
import type { Texts } from "../contract/texts/texts.ts";
import { errorText } from "../contract/texts/told-error.ts";
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
  argument: "details",
  usage: "schedules [run|cancel|resume <id>]",
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
  const { texts, viewer } = call;
  const found = await openSchedules(call.deps, await viewerOf(call));
  if (found.length === 0) return { markdown: texts.schedules.none };
  const now = call.deps.clock.now();
  return {
    markdown: [
      texts.schedules.heading,
      ...found.map((schedule) => `- ${describeSchedule(schedule, now, viewer.locale)}`),
    ].join("\n"),
    actions: found.slice(0, MAX_BUTTONS).map((schedule) => actionFor(schedule, texts)),
  };
};

/** More than platforms show in one message. */
const MAX_BUTTONS = 10;

const actionFor = ({ id, description, status }: Schedule, { schedules }: Texts) => {
  const short = cutAtGraphemes(description, 40);
  return status === "paused"
    ? { name: "schedules", label: schedules.resumeButton(short), value: `resume ${id}` }
    : { name: "schedules", label: schedules.cancelButton(short), value: `cancel ${id}` };
};

/** Errors that the caller sees as an answer. */
const SHOWN_ERRORS: readonly AppError["code"][] = ["not-found", "bad-input", "forbidden"];

const change = async (call: CommandCall): Promise<CommandAnswer> => {
  const { deps, message } = call;
  const texts = call.texts.schedules;
  const [verb = "", id = ""] = call.args.split(/\s+/);
  if (!/^(?:run|cancel|resume)$/i.test(verb) || id === "") {
    return { markdown: texts.usage };
  }
  try {
    const schedule = await findSchedule(deps, await viewerOf(call), id);
    const { description } = schedule;
    const { causes } = call.record.asker;
    switch (verb.toLowerCase()) {
      case "run":
        call.permit.ensure(needOf(schedule.when));
        await runNow(deps, schedule, message.id);
        return { markdown: texts.running(description) };
      case "resume":
        call.permit.ensure(needOf(schedule.when));
        await resumeSchedule(deps, schedule, { ...schedule.asker, ...(causes && { causes }) });
        return { markdown: texts.resumed(description) };
      default:
        await cancelSchedule(deps, schedule);
        return { markdown: texts.cancelled(description) };
    }
  } catch (error) {
    if (!(error instanceof AppError) || !SHOWN_ERRORS.includes(error.code)) throw error;
    return { markdown: errorText(error, call.texts) };
  }
};
