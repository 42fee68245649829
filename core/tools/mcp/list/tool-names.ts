import { hash } from "node:crypto";
import { prefixOfServer } from "../config.ts";

/** The limit of the providers. */
const MAX_CHARS = 64;
const DIGEST_CHARS = 8;

/**
 * The names under which models see the tools of a server, by the server's names: `server__tool`, in the characters that
 * every provider accepts. A name depends only on the two names, unless two tools of a server would get the same one.
 */
export const toolNames = (server: string, tools: readonly string[]): Map<string, string> => {
  const spelled = new Map(tools.map((tool) => [tool, spelling(server, tool)]));
  const uses = new Map<string, number>();
  for (const name of spelled.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    tools.map((tool) => {
      const name = spelled.get(tool) ?? tool;
      // The tool that is spelled like this itself keeps the name.
      const isShared = (uses.get(name) ?? 0) > 1 && !name.endsWith(`__${tool}`);
      return [tool, isShared || name.length > MAX_CHARS ? withDigest(name, tool) : name];
    }),
  );
};

const spelling = (server: string, tool: string): string =>
  `${prefixOfServer(server)}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;

const withDigest = (name: string, tool: string): string =>
  `${name.slice(0, MAX_CHARS - DIGEST_CHARS - 1)}_${hash("sha256", tool, "hex").slice(0, DIGEST_CHARS)}`;
