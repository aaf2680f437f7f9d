import { afterEach, beforeEach, expect, test } from 'bun:test'
import { changeEntries, readEntries } from '../../../src/store/registry.ts'
import { ageMs, names, openRemotes, read, type Remotes, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'

let remotes: Remotes
beforeEach(async () => {
  remotes = await openRemotes()
})
afterEach(() => remotes[Symbol.asyncDispose]())

test('builders that publish at once lose no row', async () => {
  const wanted = Array.from({ length: 12 }, (_, i) => `lib${String(i).padStart(2, '0')}`)
  const { one, two } = remotes
  await Promise.all(wanted.map((library, i) => written(i % 2 === 0 ? one : two, library)))
  for (const remote of [remotes.one, remotes.two]) {
    await remote.refresh('now')
    expect(await names(remote)).toEqual(wanted)
  }
})

test('an answer that is lost is no reason to write twice', async () => {
  const first = await written(remotes.one, 'lib')
  remotes.server.isLost = (asked, nth) => asked === 'PUT registry.json' && nth === 3
  const second = await written(remotes.one, 'lib', 'new text')
  const [entry] = await readEntries(remotes.one.folder)
  expect([entry!.live.id, entry!.previous!.id]).toEqual([second.id, first.id])
})

test('a bucket that may not be written is read, and one that lost its registry is not', async () => {
  await written(remotes.one, 'lib')
  remotes.server.fault = (asked) => (asked.startsWith('GET') ? null : refused(403, 'AccessDenied'))
  expect(await read(remotes.two, 'lib')).toBe('some text')
  await expect(written(remotes.two, 'other')).rejects.toThrow('Cannot write store s3://docs/team')
  remotes.server.fault = null
  const { body, ...kept } = remotes.server.objects.get('registry.json')!
  remotes.server.objects.set('registry.json', { ...kept, etag: '"x"', body: body.slice(9) })
  await Bun.sleep(ageMs + 1)
  await expect(names(remotes.two)).rejects.toThrow('s3://docs/team/registry.json: it is not JSON')
  await expect(changeEntries(remotes.two.folder, () => [])).rejects.toThrow('it is not JSON')
  remotes.server.objects.delete('registry.json')
  await expect(names(remotes.two)).rejects.toThrow('registry.json is missing, and generations/ is not empty')
  await expect(changeEntries(remotes.two.folder, () => [])).rejects.toThrow('registry.json is missing')
})
