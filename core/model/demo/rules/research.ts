import type { DemoRule } from "../demo-rule.ts";

const TOOL = "spawn_parallel_subtasks";
const REQUEST = /^(?:please\s+)?(?:research|look into|find out about|investigate)\s+(\S.*?)[?.!\s]*$/is;
const MOST_TOPICS = 5;

/** "lighthouses, tides and knots" → three topics. */
const topicsOf = (text: string): string[] =>
  text
    .split(/\s*(?:,|;|&|\band\b)\s*/i)
    .map((topic) => topic.replace(/\s+/g, " ").trim())
    .filter((topic) => topic !== "")
    .slice(0, MOST_TOPICS);

/** Delegates each topic to a helper. */
export const research: DemoRule = {
  skill: ({ offers }) =>
    offers(TOOL) ? 'have helpers work for me: "research lighthouses, tides and knots"' : undefined,
  respond: ({ text, results, offers }) => {
    const topics = topicsOf(REQUEST.exec(text)?.[1] ?? "");
    if (topics.length === 0) return undefined;
    const spawned = results.find(({ name }) => name === TOOL);
    if (spawned?.failed) return { say: `I could not hand that on: ${spawned.output}` };
    if (spawned !== undefined) {
      const helpers = topics.length === 1 ? "A helper is" : `${topics.length} helpers are`;
      return { say: `${helpers} looking into it. I will tell you what came of it.` };
    }
    if (!offers(TOOL)) return undefined;
    const tasks = topics.map((topic) => ({ name: topic.slice(0, 60), prompt: `Research ${topic}.` }));
    return { call: [{ name: TOOL, input: { tasks } }] };
  },
};
