import { test } from 'bun:test'

/**
 * Returns `test` if `lack` is null. Otherwise the test is counted as skipped, under a name that
 * says why, and `npm test` lists it at its end.
 */
export function testWhere(lack: string | null) {
  const named = (name: string) => (lack === null ? name : `${name} [skipped: ${lack}]`)
  return (name: string, work: () => unknown, timeoutMs?: number) =>
    test.skipIf(lack !== null)(named(name), async () => void (await work()), timeoutMs)
}
