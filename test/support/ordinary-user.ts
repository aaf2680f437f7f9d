/**
 * What runs a program as a user whom file modes bind: nobody, where the tests run as root, else
 * whoever runs them.
 */
export function asOrdinaryUser(): string[] {
  if (process.getuid?.() !== 0) return []
  if (Bun.which('setpriv') === null) throw new Error('as root, these tests need setpriv')
  return ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
}

/** What runs a program without any network; null where this machine cannot. */
export function withoutNetwork(): string[] | null {
  const ways = [
    ['unshare', '-n'],
    ['unshare', '-rn'],
  ]
  return ways.find((way) => Bun.which(way[0]!) && Bun.spawnSync([...way, 'true']).success) ?? null
}
