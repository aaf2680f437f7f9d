/**
 * Returns the command that runs a program as a user to whom file modes apply: as nobody if the
 * tests run as root, otherwise unchanged.
 */
export function asOrdinaryUser(): string[] {
  if (process.getuid?.() !== 0) return []
  if (Bun.which('setpriv') === null) throw new Error('as root, these tests need setpriv')
  return ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
}

/**
 * Returns the command that runs a program without network access, or null if this machine cannot do
 * that.
 */
export function withoutNetwork(): string[] | null {
  const ways = [
    ['unshare', '-n'],
    ['unshare', '-rn'],
  ]
  return ways.find((way) => Bun.which(way[0]!) && Bun.spawnSync([...way, 'true']).success) ?? null
}
