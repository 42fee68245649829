let added = "";

/** Prefixes the page's title with the number of unread messages; the page may change its title meanwhile. */
export const showInTitle = (unread: number): void => {
  const title = document.title.startsWith(added) ? document.title.slice(added.length) : document.title;
  added = unread > 0 ? `(${unread > 99 ? "99+" : unread}) ` : "";
  if (document.title !== added + title) document.title = added + title;
};
