/**
 * True for servers up to 2.9.20: in a cluster they can store and confirm two concurrent writes that expect the same
 * revision (https://github.com/nats-io/nats-server/issues/4320).
 */
export const mayStoreConflicts = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 2 || minor !== 9) return major < 2 || (major === 2 && minor < 9);
  return patch < 21;
};
