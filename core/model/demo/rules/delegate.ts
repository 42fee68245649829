import type { DemoRule } from "../demo-rule.ts";

const SPAWN = "spawn_parallel_subtasks";
const REQUEST = /^(?:please\s+)?(?:research|look into|find out about|investigate)\s+(\S.*?)[?.!\s]*$/is;
const MAX_TOPICS = 5;

/** "lighthouses, tides and knots" → three topics. */
const topicsOf = (text: string): string[] =>
  text
    .split(/\s*(?:,|;|&|\band\b)\s*/i)
    .map((topic) => topic.replace(/\s+/g, " ").trim())
    .filter((topic) => topic !== "")
    .slice(0, MAX_TOPICS);

/** Delegates each topic to a helper. */
export const research: DemoRule = {
  skill: ({ offers }) =>
    offers(SPAWN) ? 'delegate work to helpers: "research lighthouses, tides and knots"' : undefined,
  respond: ({ text, results, offers }) => {
    const topics = topicsOf(REQUEST.exec(text)?.[1] ?? "");
    if (topics.length === 0) return undefined;
    const spawned = results.find(({ name }) => name === SPAWN);
    if (spawned?.failed) return { text: `I could not delegate that: ${spawned.output}` };
    if (spawned !== undefined) {
      const isOne = topics.length === 1;
      const helpers = isOne ? "A helper is" : `${topics.length} helpers are`;
      return {
        text: `${helpers} looking into it. I will send you one answer when ${isOne ? "it is" : "they are"} done.`,
      };
    }
    if (!offers(SPAWN)) return undefined;
    const tasks = topics.map((topic) => ({ name: topic.slice(0, 60), prompt: `Research ${topic}.` }));
    return { call: [{ name: SPAWN, input: { tasks } }] };
  },
};

const NOTIFY = "notify_owner";
const COMPLETE = "complete_subtask";
const STAGES = ["looking for sources", "reading", "writing it up"];

/** The work of a subagent: some progress, then a result. */
export const doSubtask: DemoRule = {
  skill: () => undefined,
  respond: ({ text, results, offers }) => {
    if (!offers(COMPLETE)) return undefined;
    const topic = /^research (.+?)\.?$/i.exec(text.split("\n")[0] ?? "")?.[1] ?? text;
    const stage = STAGES[results.filter(({ name }) => name === NOTIFY).length];
    if (stage !== undefined) {
      return { call: [{ name: NOTIFY, input: { type: "status_update", content: stage } }], isWork: true };
    }
    const output = `The demo model knows only that “${topic}” has ${topic.length} letters.`;
    return { call: [{ name: COMPLETE, input: { status: "success", output } }], isWork: true };
  },
};

const RESULTS = /^\[(?:late )?results? of delegated work\]/;

/** Puts the results of the subtasks into one answer. */
export const consolidate: DemoRule = {
  skill: () => undefined,
  respond: ({ text }) => {
    if (!RESULTS.test(text)) return undefined;
    const sections = text.split(/^### /m).slice(1);
    const findings = sections.map((section) => {
      const [heading = "", ...lines] = section.split("\n");
      const [, name = heading, outcome = ""] = /^(.*) \(subtask-[0-9a-f]+\): (.*)$/.exec(heading) ?? [];
      const text = lines.join(" ").replace(/\s+/g, " ").trim();
      return `- **${name}**${outcome === "completed" ? "" : ` (${outcome})`}: ${text}`;
    });
    return { text: ["Here is what my helpers found:", "", ...findings].join("\n") };
  },
};
