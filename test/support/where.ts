import { test } from 'bun:test'

/**
 * Returns `test` if `lack` is null. Otherwise the test is counted as skipped, under a name that
 * gives the reason, and `npm test` lists it at the end.
 */
export function testWhere(lack: string | null) {
  const named = (name: string) => (lack === null ? name : `${name} [skipped: ${lack}]`)
  return (name: string, work: () => unknown, timeoutMs?: number) =>
    test.skipIf(lack !== null)(named(name), async () => void (await work()), timeoutMs)
}
