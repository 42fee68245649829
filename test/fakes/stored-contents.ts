import type { AdapterContext } from "../../adapters/contract/adapter-context.ts";

/** `AdapterContext.openFile` for contents in memory, by the id of the file. */
export const opensFrom =
  (contents: ReadonlyMap<string, Uint8Array>): NonNullable<AdapterContext["openFile"]> =>
  async ({ id }) => {
    const content = contents.get(id);
    if (content === undefined) return undefined;
    return (async function* () {
      yield content;
    })();
  };
