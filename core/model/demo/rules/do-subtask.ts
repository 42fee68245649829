import type { DemoRule } from "../demo-rule.ts";

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
    const output = `What the demo knows about ${topic}: it has ${topic.length} letters, and there is much to say about it.`;
    return { call: [{ name: COMPLETE, input: { status: "success", output } }], isWork: true };
  },
};
