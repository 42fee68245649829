/** 32 bits that are the same in every process and version: partitions and their owners depend on it. FNV-1a, then mixed. */
export const stableHash = (text: string): number => mixed(begunHash(text));

/** The hash of a text that goes on. Many that begin alike share the work of their beginning. */
export const begunHash = (text: string, before = 0x811c9dc5): number => {
  let hash = before;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
};

/** `stableHash` of a text whose beginning was hashed before. */
export const endedHash = (begun: number, rest: string): number => mixed(begunHash(rest, begun));

const mixed = (unmixed: number): number => {
  let hash = unmixed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};
