/** Returns the time zone of the shop, in which its days begin, as a name of the IANA database. */
export function shopZone(): string {
  return 'UTC'
}
