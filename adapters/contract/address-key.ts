/** What counts as one address: an IPv4 address, or the network of an IPv6 address, of which one client has all. */
export const addressKey = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
};

const groupsOf = (part: string): string[] => part.split(":").filter((group) => group !== "");
