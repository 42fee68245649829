export const outboxDurable = (channel: string) => `outbox-${channel}`;
