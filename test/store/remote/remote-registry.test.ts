import { expect, test } from 'bun:test'
import { changeEntries, readEntries, type Entry } from '../../../src/store/registry.ts'
import type { StoredRegistry } from '../../../src/store/registry-text.ts'
import { ageMs, names, openRemotes, read, type Remotes, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

test('loses no rows if builders publish at the same time', async () => {
  const wanted = Array.from({ length: 12 }, (_, i) => `lib${String(i).padStart(2, '0')}`)
  const { one, two } = remotes()
  await Promise.all(wanted.map((library, i) => written(i % 2 === 0 ? one : two, library)))
  for (const remote of [remotes().one, remotes().two]) {
    await remote.refresh('now')
    expect(await names(remote)).toEqual(wanted)
  }
})

test('does not write twice after a lost response', async () => {
  const first = await written(remotes().one, 'lib')
  remotes().server.isLost = (asked, nth) => asked === 'PUT registry.json' && nth === 3
  const second = await written(remotes().one, 'lib', 'new text')
  const [entry] = await readEntries(remotes().one.folder)
  expect([entry!.live.id, entry!.previous!.id]).toEqual([second.id, first.id])
})

const put = 'PUT registry.json'

/**
 * Another process writes a registry before the `nth` write from now on. @returns the number of
 * earlier writes
 */
function overtaken(
  server: Remotes['server'],
  nth: number,
  change: (registry: StoredRegistry) => void,
): number {
  const nBefore = server.asked.filter((asked) => asked === put).length
  server.fault = (asked, n) => {
    if (asked !== put || n !== nBefore + nth) return null
    const { body, ...kept } = server.objects.get('registry.json')!
    const registry: StoredRegistry = JSON.parse(Buffer.from(body).toString())
    change(registry)
    const other = Buffer.from(JSON.stringify(registry))
    server.objects.set('registry.json', { ...kept, etag: '"other"', body: other })
    return null
  }
  return nBefore
}

test('recognises its own write after a lost response, even if another machine has written since', async () => {
  const { one, server } = remotes()
  const ids = [(await written(one, 'lib')).id, (await written(one, 'lib', 'new text')).id]
  const nBefore = overtaken(server, 2, (registry) => {
    registry.retired = { 'other-1': '2026-01-01T00:00:00.000Z' }
  })
  server.isLost = (asked, nth) => asked === put && nth === nBefore + 1
  let nChanges = 0
  await changeEntries(one.folder, (entries) => {
    nChanges++
    return entries.map((entry) => ({ ...entry, live: entry.previous!, previous: entry.live }))
  })
  expect(nChanges).toBe(1)
  const [{ live, previous }] = (await readEntries(one.folder)) as [Entry]
  expect([live.id, previous!.id]).toEqual(ids)
})

test("does not mistake another machine's change for its own", async () => {
  const { one, server } = remotes()
  await written(one, 'lib')
  overtaken(server, 1, ({ entries }) => (entries[0]!.live.failed = 3))
  const seen: (number | undefined)[] = []
  await changeEntries(one.folder, ([entry]) => {
    seen.push(entry!.live.failed)
    return []
  })
  expect(seen).toEqual([undefined, 3])
  expect(await readEntries(one.folder)).toEqual([])
})

test('reads a read-only bucket, and rejects one that lost its registry', async () => {
  await written(remotes().one, 'lib')
  remotes().server.fault = (asked) =>
    asked.startsWith('GET') ? null : refused(403, 'AccessDenied')
  expect(await read(remotes().two, 'lib')).toBe('some text')
  await expect(written(remotes().two, 'other')).rejects.toThrow('Cannot write store s3://docs/team')
  remotes().server.fault = null
  const { body, ...kept } = remotes().server.objects.get('registry.json')!
  remotes().server.objects.set('registry.json', { ...kept, etag: '"x"', body: body.slice(9) })
  await Bun.sleep(ageMs + 1)
  await expect(names(remotes().two)).rejects.toThrow('s3://docs/team/registry.json: it is not JSON')
  await expect(changeEntries(remotes().two.folder, () => [])).rejects.toThrow('it is not JSON')
  remotes().server.objects.delete('registry.json')
  await expect(names(remotes().two)).rejects.toThrow(
    'registry.json is missing, and generations/ is not empty',
  )
  await expect(changeEntries(remotes().two.folder, () => [])).rejects.toThrow(
    'registry.json is missing',
  )
})
