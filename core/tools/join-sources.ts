import type { OfferedTools, ToolSource } from "../contract/tool.ts";

interface Joined {
  readonly parts: readonly OfferedTools[];
  readonly offered: OfferedTools;
}

/** All sources as one. Of two tools with one name, that of the first source counts. Undefined: there is no source. */
export const joinSources = (given: readonly (ToolSource | undefined)[]): ToolSource | undefined => {
  const sources = given.filter((source) => source !== undefined);
  if (sources.length < 2) return sources[0];
  const known = new WeakMap<OfferedTools, Joined>();
  return {
    async offer(permit) {
      const parts = await Promise.all(sources.map((source) => source.offer(permit)));
      // The last source makes a list per permit, so its list identifies the joined one.
      const at = parts[parts.length - 1] as OfferedTools;
      const before = known.get(at);
      if (before?.parts.every((part, index) => part === parts[index])) return before.offered;
      const tools = new Map(
        parts
          .flatMap((part) => part.tools)
          .reverse()
          .map((tool) => [tool.name, tool]),
      );
      const offered = {
        tools: [...tools.values()].reverse(),
        unavailable: parts.flatMap(({ unavailable }) => unavailable),
      };
      known.set(at, { parts, offered });
      return offered;
    },
  };
};
