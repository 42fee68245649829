/** The address that Slack itself gives for a message, made without asking. */
export const permalinkOf = (teamUrl: string, room: string, ts: string, thread: string | undefined): string => {
  const link = `${teamUrl}archives/${room}/p${ts.replace(".", "")}`;
  return thread === undefined || thread === ts ? link : `${link}?thread_ts=${thread}&cid=${room}`;
};
