import { expect, test } from 'bun:test'
import type { EntryFile } from '../../../src/store/entry-file.ts'
import { changeEntries } from '../../../src/store/registry.ts'
import { names, openRemotes, read, written } from '../../support/remotes.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

const newest = (files: EntryFile[]) => files.map((it) => ({ ...it, previous: null }))

test('rebuilds a lost registry from complete generations, and builders continue', async () => {
  const { one, two, server } = remotes()
  const a = await written(one, 'a', 'text of a')
  const cut = await written(one, 'cut')
  server.objects.delete('registry.json')
  server.objects.delete(`generations/${cut.id}/manifest.json`)
  const made = await two.remake(newest)
  expect(made).toMatchObject({ aside: null, entries: [{ library: 'a' }], unnamed: [cut.id] })
  expect(await read(two, 'a')).toBe('text of a')
  expect(await two.remake(newest)).toBeNull()
  await written(one, 'b')
  await two.refresh('now')
  expect(await names(two)).toEqual(['a', 'b'])
  expect(made!.entries[0]!.live.id).toBe(a.id)
})

test('saves a damaged registry, keeps one of a newer og, and creates none for an empty store', async () => {
  const { one, server } = remotes()
  expect(await one.remake(newest)).toBeNull()
  await written(one, 'a')
  const kept = server.objects.get('registry.json')!
  const put = (text: string) =>
    server.objects.set('registry.json', {
      ...kept,
      etag: `"${text}"`,
      body: new TextEncoder().encode(text),
    })
  put('{"format": 1, "ent')
  const { aside } = (await one.remake(newest))!
  expect(new TextDecoder().decode(server.objects.get(aside!)!.body)).toBe('{"format": 1, "ent')
  expect(await names(one)).toEqual(['a'])
  put('{"format": 9, "entries": []}')
  await expect(one.remake(newest)).rejects.toThrow('its format is 9')
})

test('keeps a registry that another process writes in the meantime', async () => {
  const { one, two, server } = remotes()
  await written(one, 'a')
  const lost = server.objects.get('registry.json')!
  server.objects.delete('registry.json')
  const late = two.remake((files) => {
    server.objects.set('registry.json', lost)
    return newest(files)
  })
  await expect(late).rejects.toThrow(
    'another process has written one in the meantime; that one was kept',
  )
  await changeEntries(one.folder, (entries) => entries)
  expect(await names(one)).toEqual(['a'])
})

test('does not mistake a lost response for another writer', async () => {
  const { one, server } = remotes()
  await written(one, 'a')
  server.objects.delete('registry.json')
  server.asked = []
  server.isLost = (asked, nth) => asked === 'PUT registry.json' && nth === 1
  expect(await one.remake(newest)).toMatchObject({ entries: [{ library: 'a' }] })
  expect(server.asked.filter((it) => it === 'PUT registry.json')).toHaveLength(2)
  expect(await read(one, 'a')).toBe('some text')
})
