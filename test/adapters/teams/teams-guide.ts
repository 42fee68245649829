import { readFileSync } from "node:fs";
import { z } from "zod";

const text = readFileSync(new URL("../../../docs/channels/teams.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block]) => block ?? "");

const CommandList = z.object({
  scopes: z.array(z.string()),
  commands: z.array(z.object({ title: z.string(), description: z.string() })),
});
const Manifest = z.object({
  $schema: z.string(),
  manifestVersion: z.string(),
  version: z.string(),
  id: z.string(),
  developer: z.record(z.string(), z.string()).and(z.object({ name: z.string() })),
  name: z.object({ short: z.string(), full: z.string() }),
  description: z.object({ short: z.string(), full: z.string() }),
  accentColor: z.string(),
  bots: z.tuple([
    z.looseObject({ botId: z.string(), scopes: z.array(z.string()), commandLists: z.tuple([CommandList]) }),
  ]),
  webApplicationInfo: z.object({ id: z.string() }),
});

/** The setup guide for Teams. */
export const teamsGuide = {
  text,
  manifest: Manifest.parse(JSON.parse(blocks("json")[0] ?? "")),
  /** The example in the guide that begins with this line. */
  yaml: (beginning: string): string => blocks("yaml").find((block) => block.startsWith(beginning)) ?? "",
};
