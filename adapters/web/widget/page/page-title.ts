let added = "";

/** Puts the number of unread messages in front of the page's title, whatever the page makes of it meanwhile. */
export const showInTitle = (unread: number): void => {
  const title = document.title.startsWith(added) ? document.title.slice(added.length) : document.title;
  added = unread > 0 ? `(${unread > 99 ? "99+" : unread}) ` : "";
  if (document.title !== added + title) document.title = added + title;
};
