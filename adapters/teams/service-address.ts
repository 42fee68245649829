/**
 * Whether an address is one of the allowed ones or below it. The bot's token is sent there, so it is compared as a
 * parsed URL: "https://allowed.example.evil" and "https://allowed.example@evil" are other hosts.
 */
export const isBelow = (address: string, allowed: readonly string[]): boolean => {
  if (!URL.canParse(address)) return false;
  const { origin, pathname, username, password } = new URL(address);
  if (username !== "" || password !== "") return false;
  return allowed.some((base) => {
    const { origin: baseOrigin, pathname: basePath } = new URL(base);
    const folder = basePath.endsWith("/") ? basePath : `${basePath}/`;
    return origin === baseOrigin && `${pathname}/`.startsWith(folder);
  });
};
