import type { DemoRule } from "../demo-rule.ts";

const RESULTS = /^\[(?:late )?results? of delegated work\]/;

/** Makes one answer of what the helpers found. */
export const consolidate: DemoRule = {
  skill: () => undefined,
  respond: ({ text }) => {
    if (!RESULTS.test(text)) return undefined;
    const sections = text.split(/^### /m).slice(1);
    const lines = sections.map((section) => {
      const [heading = "", ...words] = section.split("\n");
      const [, name = heading, outcome = ""] = /^(.*) \(subtask-[0-9a-f]+\): (.*)$/.exec(heading) ?? [];
      const said = words.join(" ").replace(/\s+/g, " ").trim();
      return `- **${name}**${outcome === "completed" ? "" : ` (${outcome})`}: ${said}`;
    });
    return { say: ["Here is what my helpers found:", "", ...lines].join("\n") };
  },
};
