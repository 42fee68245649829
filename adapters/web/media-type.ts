/** "type/subtype", without parameters; what does not look like one is bytes. */
export const mediaType = (given: string | undefined): string => {
  const type = (given ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/.test(type)
    ? type
    : "application/octet-stream";
};
