import { agents } from "./agents.ts";
import { approvals, rights } from "./approvals.ts";
import { cancel, conversation, feedback, help, inbox, links, report, status, workspace } from "./everyday.ts";
import { delivery, failures, turns } from "./failures.ts";
import { files } from "./files.ts";
import { linking } from "./linking.ts";
import { menu } from "./menu.ts";
import { intake, moderation, refusals } from "./refusals.ts";
import { anchors, digests, placeholders, takeovers } from "./relay.ts";
import { rhythm, schedules } from "./schedules.ts";
import { budget, language, memory, quiet, timezone } from "./settings.ts";
import { outcomes, why } from "./why.ts";
import { activity } from "./work.ts";

/** English is the source: the other languages have exactly these texts. */
export const en = {
  menu,
  help,
  status,
  cancel,
  inbox,
  report,
  feedback,
  links,
  conversation,
  workspace,
  why,
  outcomes,
  quiet,
  timezone,
  language,
  memory,
  budget,
  linking,
  approvals,
  rights,
  schedules,
  rhythm,
  failures,
  turns,
  delivery,
  activity,
  anchors,
  digests,
  takeovers,
  refusals,
  intake,
  moderation,
  placeholders,
  files,
  agents,
};

/** All texts that people read in chat, in one language. */
export type Texts = typeof en;
