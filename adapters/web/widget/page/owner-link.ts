/**
 * The token of a one-time link of a personal deployment, `#owner=<code>`. The code leaves the address bar and the history
 * at once, before anything else can read or keep it.
 */
export const takeOwnerLink = (newId: () => string): string | undefined => {
  const code = /^#owner=([\w-]{20,100})$/.exec(location.hash)?.[1];
  if (code === undefined) return undefined;
  history.replaceState(history.state, "", `${location.pathname}${location.search}`);
  return `owner-link.${code}.${newId()}`;
};
