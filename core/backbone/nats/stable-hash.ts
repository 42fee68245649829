/** Must never change: partitions and their owners depend on it in all processes and versions. FNV-1a, mixed, 32 bits. */
export const stableHash = (text: string): number => mixed(begunHash(text));

/** The hash state after a prefix, so that texts with a common prefix hash it once. */
export const begunHash = (text: string, before = 0x811c9dc5): number => {
  let hash = before;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
};

/** The `stableHash` of a text, from the state after its prefix. */
export const endedHash = (begun: number, rest: string): number => mixed(begunHash(rest, begun));

const mixed = (unmixed: number): number => {
  let hash = unmixed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};
